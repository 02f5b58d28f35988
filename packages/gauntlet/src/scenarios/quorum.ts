/** Three independent servers: every way in which one client can be cut off from them, and a storm of faults. */
import { eventually, type RedisProcess, startProxy, type TcpProxy } from '@holdfast/testkit';
import { Holdfast } from 'holdfast';
import { contest } from '../arena/contest.ts';
import { keysLeft } from '../arena/leftovers.ts';
import { stageOf } from '../arena/stage.ts';
import type { Violation } from '../check/violation.ts';
import type { FaultName } from '../faults/index.ts';
import type { ClientKind, Place } from '../place.ts';
import { connectTo } from '../worker/connect.ts';
import { type Outcome, outcomeOf, type Scenario } from './scenario.ts';

const NODES = 3;
const WAYS = ['ok', 'up', 'down', 'both'] as const;
type Way = (typeof WAYS)[number];

const TTL_MS = 1_000;
const WAIT_MS = 600;
/** What is granted to somebody who does not hear of it is over by then. */
const AFTER_MS = TTL_MS + 250;

/** All 64, some at a time. */
const AT_ONCE = 4;
const COMBINATIONS = WAYS.flatMap((a) => WAYS.flatMap((b) => WAYS.map((c): readonly Way[] => [a, b, c])));

interface Peer extends AsyncDisposable {
  readonly holdfast: Holdfast;
}

async function peer(place: Place, client: ClientKind): Promise<Peer> {
  const connected = await connectTo(place, client);
  const holdfast = new Holdfast(connected.client, { ttlMs: TTL_MS });
  holdfast.on('warning', () => {});
  return {
    holdfast,
    async [Symbol.asyncDispose]() {
      await holdfast.close();
      await connected.end();
    },
  };
}

/** Granted exactly where a majority can answer, and afterwards the next one has it. */
async function partitioned(
  servers: readonly RedisProcess[],
  near: Peer,
  ways: readonly Way[],
  name: string,
): Promise<string[]> {
  const proxies = await Promise.all(servers.map(({ port }) => startProxy({ port })));
  const client = (['ioredis 5', 'node-redis 6'] as const)[name.length % 2] ?? 'ioredis 5';
  await using far = await peer({ kind: 'quorum', ports: proxies.map(({ port }) => port) }, client);
  await far.holdfast.lock(`${name}:met`).use(() => {});
  cut(proxies, ways);
  const lease = await far.holdfast
    .lock(name)
    .acquire({ waitMs: WAIT_MS })
    .catch(() => undefined);
  const answering = ways.filter((way) => way === 'ok').length;
  const wrong =
    (lease !== undefined) === answering > NODES / 2 ? [] : [`${ways}: ${lease ? 'granted' : 'not granted'}`];
  await lease?.release().catch(() => {});
  mend(proxies);
  wrong.push(...(await free(near, name, ways)));
  await Promise.all(proxies.map((proxy) => proxy.shutdown()));
  return wrong;
}

function cut(proxies: readonly TcpProxy[], ways: readonly Way[]): void {
  for (const [i, way] of ways.entries()) if (way !== 'ok') proxies[i]?.silence(way, 'drop');
}

function mend(proxies: readonly TcpProxy[]): void {
  for (const proxy of proxies) {
    proxy.heal();
    proxy.cut();
  }
}

async function free({ holdfast }: Peer, name: string, ways: readonly Way[]): Promise<string[]> {
  try {
    const lease = await holdfast.lock(name).acquire({ waitMs: AFTER_MS });
    await lease.release();
    return [];
  } catch (error) {
    return [`${ways}: not free ${AFTER_MS} ms later: ${error}`];
  }
}

async function partitions(): Promise<Outcome> {
  await using stage = await stageOf({ nodes: NODES });
  await using near = await peer(stage.straight, 'ioredis 5');
  const wrong: string[] = [];
  const left = [...COMBINATIONS.entries()];
  const worker = async () => {
    for (let next = left.pop(); next !== undefined; next = left.pop())
      wrong.push(...(await partitioned(stage.servers, near, next[1], `gauntlet:cut:${next[0]}`)));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  wrong.push(...(await leftAt(stage.servers)));
  return {
    what: 'one client cut off, in every way',
    hits: [{ fault: 'partitions of three nodes', hits: COMBINATIONS.length, wanted: COMBINATIONS.length }],
    acquisitions: COMBINATIONS.length,
    violations: wrong.map((text): Violation => ({ check: 'C1', text })),
    explained: 0,
    largestHandOverMs: undefined,
    notes: [],
  };
}

async function leftAt(servers: readonly RedisProcess[]): Promise<string[]> {
  let left: string[] = [];
  const nothing = async () => {
    const all = servers.map((server) => keysLeft(server, { names: [], subject: { kind: 'lock' } }));
    left = (await Promise.all(all)).flat();
    return left.length === 0;
  };
  await eventually(nothing, { withinMs: AFTER_MS }).catch(() => {});
  return left;
}

const FINE = ['ConnectionError', 'AcquireTimeoutError', 'QuorumError'];

async function storm(seed: number): Promise<Outcome> {
  await using stage = await stageOf({ nodes: NODES, farWorkers: 5, appendonly: true });
  const planned: Partial<Record<FaultName, number>> = {
    ...{ killHolder: 8, stopHolder: 8, loseReplies: 12, halfOpen: 6, reset: 10 },
    ...{ restartKeeping: 4, stopNode: 4 },
  };
  const names = ['gauntlet:a', 'gauntlet:b', 'gauntlet:c', 'gauntlet:d'];
  const crew = {
    workers: 5,
    lanes: 3,
    ttlMs: 500,
    fine: FINE,
    fineReleases: ['ConnectionError', 'QuorumError'],
  };
  const result = await contest(stage, { ...crew, names, planned, durationMs: 22_000 }, seed);
  return outcomeOf({ what: 'a lock over three nodes', result, planned });
}

export const quorum: Scenario = {
  id: 'quorum',
  what: 'three servers: all partitions, and a storm',
  onlyFull: true,
  async run({ seed }) {
    return [await partitions(), await storm(seed)];
  },
};
