/** A Cluster under load: slots move to other masters, masters hand over to their replicas, masters die. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Cluster, type ClusterNode, eventually, keySlot, startCluster } from '@holdfast/testkit';
import { contest } from '../arena/contest.ts';
import { clusterStage } from '../arena/stage.ts';
import type { Fault } from '../faults/fault.ts';
import type { Random } from '../random.ts';
import { type Outcome, outcomeOf, type Scenario } from './scenario.ts';

const FINE = ['ConnectionError', 'AcquireTimeoutError'];
/** An outage that outlasts the deadline of the call, which is told as the server told it. */
const DOWN = ['ConnectionError', 'ServerRefusedError'];
const NAMES = ['gauntlet:a', 'gauntlet:b', 'gauntlet:c', 'gauntlet:d', 'gauntlet:e', 'gauntlet:f'];
/** So long the keys of a moving slot are in two places. */
const BETWEEN_MS = 200;
/** Until every client has the new map of the cluster. */
const FOUND_MS = 2_000;

function migration(cluster: Cluster): Fault {
  return {
    what: 'slot migrated under load',
    graceMs: (ttlMs) => ttlMs + 500,
    alone: true,
    async strike({ names }, random) {
      const slot = keySlot(random.pick(names));
      const home = cluster.nodes.indexOf(await cluster.nodeForSlot(slot));
      const moving = await cluster.startMigration(slot, (home + 1 + random.below(2)) % 3);
      await sleep(BETWEEN_MS);
      await moving.moveKeys();
      await sleep(BETWEEN_MS / 2);
      await moving.moveKeys();
      await moving.finish();
      return {};
    },
  };
}

/** A pair of nodes, the master first, as they are now. */
async function somePair(
  cluster: Cluster,
  random: Random,
): Promise<[master: ClusterNode, replica: ClusterNode]> {
  const first = random.below(3);
  const pair = cluster.nodes.filter((node, i) => i === first || node.masterIndex === first);
  const isMaster = async ({ server }: ClusterNode) =>
    ((await server.command('ROLE')) as unknown[])[0] === 'master';
  const [one, other] = pair;
  if (one === undefined || other === undefined) throw new Error(`master ${first} has no replica`);
  return (await isMaster(one)) ? [one, other] : [other, one];
}

function planned(cluster: Cluster): Fault {
  return {
    what: 'planned CLUSTER FAILOVER',
    graceMs: (ttlMs) => ttlMs + FOUND_MS,
    alone: true,
    async strike(_, random) {
      const [, replica] = await somePair(cluster, random);
      await cluster.failover(replica);
      return {};
    },
  };
}

function death(cluster: Cluster): Fault {
  return {
    what: 'master of a Cluster killed',
    graceMs: (ttlMs) => ttlMs + FOUND_MS,
    alone: true,
    erasing: true,
    async strike(_, random) {
      const [master, replica] = await somePair(cluster, random);
      await master.server.kill9();
      const promoted = async () => ((await replica.server.command('ROLE')) as unknown[])[0] === 'master';
      await eventually(promoted, { withinMs: 15_000, what: 'its replica is promoted' });
      await eventually(
        async () => /cluster_state:ok/.test(String(await replica.server.command('CLUSTER', 'INFO'))),
        { withinMs: 15_000, what: 'the cluster works again' },
      );
      await master.server.start();
      await cluster.settled();
      return {};
    },
  };
}

interface Part {
  readonly what: string;
  readonly fault: (cluster: Cluster) => Fault;
  readonly times: number;
  readonly durationMs: number;
  readonly fineShort?: readonly string[];
  readonly fineReleases?: readonly string[];
}

const parts: readonly Part[] = [
  { what: 'slots', fault: migration, times: 10, durationMs: 8_000, fineShort: DOWN },
  { what: 'planned fail-overs', fault: planned, times: 5, durationMs: 10_000 },
  {
    what: 'deaths of masters',
    fault: death,
    times: 3,
    durationMs: 9_000,
    fineShort: DOWN,
    fineReleases: DOWN,
  },
];

async function run({ what, fault, times, ...rest }: Part, cluster: Cluster, seed: number): Promise<Outcome> {
  const own = fault(cluster);
  const plan = {
    ...{ workers: 4, lanes: 3, ttlMs: 400, waitMs: 10_000, fine: FINE, names: NAMES, ...rest },
    ...{ ownFaults: { fault: own }, ownPlanned: { fault: times } },
  };
  const result = await contest(clusterStage(cluster), plan, seed);
  const hits = [{ fault: own.what, hits: result.hits.get('fault') ?? 0, wanted: times }];
  return { ...outcomeOf({ what: `Cluster, ${what}`, result }), hits };
}

export const cluster: Scenario = {
  id: 'cluster',
  what: 'slot migrations, planned fail-overs and deaths of masters in a Cluster',
  onlyFull: true,
  async run({ seed }) {
    await using started = await startCluster();
    const outcomes: Outcome[] = [];
    for (const part of parts) outcomes.push(await run(part, started, seed));
    return outcomes;
  },
};
