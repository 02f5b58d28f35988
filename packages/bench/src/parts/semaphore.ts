/** A semaphore of five: with 64 contenders that wait, with 64 that do not, and with nobody else. */
import { type RedisProcess, startServer } from '@holdfast/testkit';
import { type Client, connect } from '../clients.ts';
import { aim, aimAtLeast, figureOf, type Part, type Row, rowOf, type Table, toBestRival } from '../part.ts';
import { type Contender, type Semaphore, TTL_MS } from '../rivals/contender.ts';
import { alone, waiting } from '../rivals/index.ts';
import { inRounds } from '../rounds.ts';
import { commandUs, resetStats } from '../server-use.ts';
import { median, quantile } from '../stats.ts';
import { CROWD_COLUMNS, CROWD_NOTE, crowdRows } from './crowd-table.ts';

const LIMIT = 5;
const CONTENDERS = 64;
const HOLD_MS = 5;

const ONLY =
  'Of the libraries only redis-semaphore has a semaphore; it counts by the clients’ clocks, and nobody is served in order.';

const hasSemaphore = ({ semaphore }: Contender) => semaphore !== undefined;

async function opened(contender: Contender, client: Client): Promise<Semaphore> {
  const semaphore = await contender.semaphore?.(client, { ttlMs: TTL_MS, limit: LIMIT, renew: true });
  if (semaphore === undefined) throw new Error('has no semaphore');
  return semaphore;
}

async function freeTable(server: RedisProcess, rounds: number, pairs: number): Promise<Table> {
  const clients: Client[] = [];
  const runners = await inRounds(alone.filter(hasSemaphore), rounds, async (contender) => {
    const client = await connect('ioredis5', server.port);
    clients.push(client);
    const semaphore = await opened(contender, client);
    return async () => {
      await resetStats(server);
      const startedAt = performance.now();
      for (let i = 0; i < pairs; i++) await (await semaphore.tryAcquire(`bench:free:${contender.id}`))?.();
      const pairUs = ((performance.now() - startedAt) * 1_000) / pairs;
      return { pairUs, serverUs: (await commandUs(server, { evalsha: 1 })) / pairs };
    };
  });
  for (const client of clients) client.close();
  const floor = runners[0]?.seen ?? [];
  const rows = runners.map(({ contender, seen, failed }) => {
    if (failed !== undefined) return rowOf(contender, {}, `did not run: ${failed}`);
    const toFloor = median(seen.map(({ pairUs }, i) => pairUs / (floor[i]?.pairUs ?? Number.NaN)));
    const pairUs = median(seen.map((one) => one.pairUs));
    return rowOf(contender, { pairUs, toFloor, serverUs: median(seen.map((one) => one.serverUs)) });
  });
  return {
    id: 'semaphore-free',
    title: 'Nobody else: tryAcquire + release, one after the other',
    columns: [
      { id: 'pairUs', label: 'µs', digits: 0, better: 'less' },
      { id: 'toFloor', label: '/ floor', digits: 2 },
      { id: 'serverUs', label: 'server µs', digits: 1, better: 'less' },
    ],
    rows,
    aims: [
      aim('semaphore alone: latency / floor', figureOf(rows, 'holdfast', 'toFloor'), 1.3),
      aim('semaphore alone: latency / best rival', toBestRival(rows, 'pairUs', 'less'), 1),
    ],
    notes: [`The floor: two bare scripts, one ZADD and one ZREM, which count nothing. ${ONLY}`],
  };
}

interface Asked {
  readonly perSecond: number;
  readonly admittedPercent: number;
  readonly refusedP50Us: number;
  readonly refusedP99Us: number;
}

/** 64 loops in this process; whoever is refused asks again, whoever is not holds for 5 ms. */
async function failFast(semaphore: Semaphore, name: string, runMs: number): Promise<Asked> {
  const refusedUs: number[] = [];
  let admitted = 0;
  const until = performance.now() + runMs;
  const loop = async () => {
    while (performance.now() < until) {
      const askedAt = performance.now();
      const release = await semaphore.tryAcquire(name);
      if (release === undefined) refusedUs.push((performance.now() - askedAt) * 1_000);
      else {
        admitted++;
        await new Promise((resolve) => setTimeout(resolve, HOLD_MS));
        await release();
      }
    }
  };
  await Promise.all(Array.from({ length: CONTENDERS }, loop));
  const asked = admitted + refusedUs.length;
  return {
    perSecond: (asked * 1_000) / runMs,
    admittedPercent: (admitted * 100) / asked,
    refusedP50Us: median(refusedUs),
    refusedP99Us: quantile(refusedUs, 0.99),
  };
}

async function failFastTable(server: RedisProcess, rounds: number, runMs: number): Promise<Table> {
  const clients: Client[] = [];
  const chosen = alone.filter(hasSemaphore).filter(({ role }) => role !== 'floor');
  const runners = await inRounds(chosen, rounds, async (contender) => {
    const client = await connect('ioredis5', server.port);
    clients.push(client);
    const semaphore = await opened(contender, client);
    return () => failFast(semaphore, `bench:fast:${contender.id}`, runMs);
  });
  for (const client of clients) client.close();
  const rows = runners.map(({ contender, seen, failed }) => {
    if (failed !== undefined) return rowOf(contender, {}, `did not run: ${failed}`);
    const over = (key: keyof Asked) => median(seen.map((one) => one[key]));
    return rowOf(contender, {
      perSecond: over('perSecond'),
      admittedPercent: over('admittedPercent'),
      refusedP50Us: over('refusedP50Us'),
      refusedP99Us: over('refusedP99Us'),
    });
  });
  return {
    id: 'semaphore-fail-fast',
    title: `Limit ${LIMIT}, ${CONTENDERS} in one process that do not wait, held ${HOLD_MS} ms`,
    columns: [
      { id: 'perSecond', label: 'answers/s', digits: 0, better: 'more' },
      { id: 'admittedPercent', label: 'admitted, %', digits: 1 },
      { id: 'refusedP50Us', label: 'refused in, µs p50', digits: 0, better: 'less' },
      { id: 'refusedP99Us', label: 'p99', digits: 0, better: 'less' },
    ],
    rows,
    aims: [],
    notes: [],
  };
}

const waitingTable = (rows: Row[]): Table => ({
  id: 'semaphore-waiting',
  title: `Limit ${LIMIT}, ${CONTENDERS} that wait in 4 processes, held ${HOLD_MS} ms`,
  columns: CROWD_COLUMNS,
  rows,
  aims: [
    aimAtLeast('semaphore: use of the permits / best rival', toBestRival(rows, 'use', 'more'), 1),
    aimAtLeast('semaphore: Jain fairness', figureOf(rows, 'holdfast', 'jain'), 0.99, ''),
  ],
  notes: [CROWD_NOTE],
  chart: 'use',
});

export const semaphore: Part = {
  id: 'semaphore',
  what: `a semaphore: alone; limit ${LIMIT} and ${CONTENDERS} contenders, fail fast and waiting`,
  async run({ quick, progress }) {
    await using server = await startServer();
    progress('alone');
    const free = await freeTable(server, quick ? 2 : 15, quick ? 40 : 500);
    progress('fail fast');
    const fast = await failFastTable(server, quick ? 1 : 3, quick ? 100 : 1_000);
    const processes = quick ? 2 : 4;
    const crowd = {
      kind: 'semaphore',
      processes,
      workers: CONTENDERS / processes,
      holdMs: HOLD_MS,
      warmUpMs: quick ? 150 : 400,
      runMs: quick ? 200 : 1_200,
      ttlMs: TTL_MS,
      limit: LIMIT,
    } as const;
    const chosen = waiting.filter(hasSemaphore).filter(({ id }) => !quick || !id.endsWith('-best'));
    const rows = await crowdRows(chosen, [server], crowd, quick ? 1 : 3, progress);
    return [free, fast, waitingTable(rows)];
  },
};
