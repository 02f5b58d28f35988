/**
 * Fail-overs by Sentinel: planned, and by the death of a master whose replica had been cut off from it. Replication is asynchronous, so both may lose
 * grants, and then two hold; tokens grow all the same, and with `minReplicas` nobody gets a lease that the replica has not heard of.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, type RedisProcess, type SentinelGroup, startSentinel } from '@holdfast/testkit';
import { contest } from '../arena/contest.ts';
import { sentinelStage } from '../arena/stage.ts';
import type { LeaseSeen } from '../check/evidence.ts';
import type { Violation } from '../check/violation.ts';
import type { Fault } from '../faults/fault.ts';
import { type Outcome, outcomeOf, type Scenario } from './scenario.ts';

const FINE = ['ConnectionError', 'AcquireTimeoutError', 'ServerRefusedError'];
/** Until the slowest client has found the new master. */
const FOUND_MS = 2_500;
const CREW = { workers: 4, lanes: 3, waitMs: 10_000, fine: FINE } as const;

/** When the replica did not hear of what the master granted; on the clock of the histories. */
interface Cut {
  readonly from: number;
  readonly to: number;
}

const now = () => Number(process.hrtime.bigint()) / 1e6;

function planned(group: SentinelGroup): Fault {
  return {
    what: 'planned fail-over by Sentinel',
    graceMs: (ttlMs) => ttlMs + FOUND_MS,
    alone: true,
    erasing: true,
    async strike() {
      // Sentinels may give one up, and begin another.
      await group.failover().catch(() => group.failover());
      await group.agreed();
      return {};
    },
  };
}

function unheard(group: SentinelGroup, cuts: Cut[]): Fault {
  return {
    what: 'replication cut, then the master killed',
    graceMs: (ttlMs) => ttlMs + FOUND_MS,
    alone: true,
    erasing: true,
    async strike() {
      const { master, replica, port } = await roles(group);
      await cutOff(master, replica);
      const from = now();
      await sleep(400);
      cuts.push({ from, to: now() });
      await master.kill9();
      await mend(replica);
      await group.failedOver(port);
      await master.start();
      await group.agreed();
      return {};
    },
  };
}

async function roles(group: SentinelGroup) {
  const port = await group.currentMasterPort();
  const master = group.servers.find((server) => server.port === port);
  const replica = group.servers.find((server) => server.port !== port);
  if (master === undefined || replica === undefined) throw new Error(`nobody is the master on ${port}`);
  return { master, replica, port };
}

/** A replica that cannot log in to its master hears no more of it; Sentinel still takes it for a good one. */
async function cutOff(master: RedisProcess, replica: RedisProcess): Promise<void> {
  await replica.command('CONFIG', 'SET', 'masteruser', 'nobody');
  await replica.command('CONFIG', 'SET', 'masterauth', 'wrong');
  await master.command('CLIENT', 'KILL', 'TYPE', 'replica');
  const isDown = async () =>
    /master_link_status:down/.test(String(await replica.command('INFO', 'replication')));
  await eventually(isDown, { everyMs: 5, what: 'the replica has lost its master' });
}

async function mend(replica: RedisProcess): Promise<void> {
  await replica.command('CONFIG', 'SET', 'masterauth', '');
  await replica.command('CONFIG', 'SET', 'masteruser', '');
}

interface Part {
  readonly what: string;
  readonly fault: (group: SentinelGroup, cuts: Cut[]) => Fault;
  readonly times: number;
  readonly durationMs: number;
  readonly minReplicas: number;
  /** Two hold when a lease outlasts the fail-over. */
  readonly ttlMs: number;
  /** So few that every lock is free for part of the time also where a lease is long: grants during the cut are wanted. */
  readonly longHolds: number;
}

const short = { ttlMs: 400, longHolds: 0.05 };
const long = { ttlMs: 4_000, longHolds: 0.001 };

const parts: readonly Part[] = [
  { what: 'planned', fault: planned, times: 5, durationMs: 15_000, minReplicas: 0, ...short },
  { what: 'without minReplicas', fault: unheard, times: 2, durationMs: 7_000, minReplicas: 0, ...long },
  { what: 'minReplicas: 1', fault: unheard, times: 5, durationMs: 14_000, minReplicas: 1, ...short },
];

async function run({ what, fault, times, durationMs, ...rules }: Part, seed: number): Promise<Outcome> {
  const cuts: Cut[] = [];
  const group = await startSentinel();
  await using stage = sentinelStage(group);
  const own = fault(group, cuts);
  const plan = {
    ...CREW,
    ...rules,
    durationMs,
    ownFaults: { fault: own },
    ownPlanned: { fault: times },
  };
  const result = await contest(stage, plan, seed);
  const unsafe = grantedDuring(cuts, result.evidence.leases);
  const outcome = outcomeOf({ what: `Sentinel, ${what}`, result, wanted: { fault: times } });
  return {
    ...outcome,
    hits: [{ fault: own.what, hits: result.hits.get('fault') ?? 0, wanted: times }],
    violations: [...outcome.violations, ...(rules.minReplicas > 0 ? unsafe.map(unconfirmed) : [])],
    notes: cuts.length > 0 ? [`${unsafe.length} leases were acquired while the replica was cut off`] : [],
  };
}

/** Asked for and granted while the replica heard nothing. */
const grantedDuring = (cuts: readonly Cut[], leases: readonly LeaseSeen[]): LeaseSeen[] =>
  leases.filter(({ asked, from }) => cuts.some((cut) => cut.from <= asked && from <= cut.to));

const unconfirmed = ({ name, id }: LeaseSeen): Violation => ({
  check: 'C1',
  text: `${name}: ${id} was granted although no replica had heard of it`,
});

export const sentinel: Scenario = {
  id: 'sentinel',
  what: 'fail-overs by Sentinel, planned and after a cut link, with minReplicas and without',
  onlyFull: true,
  async run({ seed }) {
    const outcomes: Outcome[] = [];
    for (const part of parts) outcomes.push(await run(part, seed));
    return outcomes;
  },
};
