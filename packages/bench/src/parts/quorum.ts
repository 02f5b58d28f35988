/** Locks on three and on five independent servers. */
import { type RedisProcess, startServers } from '@holdfast/testkit';
import { Redis } from 'ioredis';
import { within } from '../bounded.ts';
import { aim, aimAtLeast, figureOf, type Part, type Row, rowOf, type Table, toBestRival } from '../part.ts';
import { type Contender, type Lock, TTL_MS } from '../rivals/contender.ts';
import { alone, waiting } from '../rivals/index.ts';
import { inRounds } from '../rounds.ts';
import { median } from '../stats.ts';
import { CROWD_COLUMNS, CROWD_NOTE, crowdRows } from './crowd-table.ts';

const hasQuorum = ({ quorum }: Contender) => quorum !== undefined;

interface Size {
  readonly rounds: number;
  readonly unkept: number;
  readonly pairs: number;
}

/** So often has the code run before it counts: V8 has compiled it by then, of whoever's library. */
const FULL: Size = { rounds: 15, unkept: 10, pairs: 200 };
const QUICK_SIZE: Size = { rounds: 2, unkept: 1, pairs: 20 };

async function freeRows(servers: readonly RedisProcess[], { rounds, unkept, pairs }: Size): Promise<Row[]> {
  const nodes = servers.map(({ port }) => new Redis({ port }));
  const opened: Lock[] = [];
  const runners = await inRounds(
    alone.filter(hasQuorum),
    rounds,
    async (contender) => {
      const lock = await contender.quorum?.(nodes);
      if (lock === undefined) throw new Error('has no quorum');
      opened.push(lock);
      const name = `bench:quorum:${contender.id}`;
      return async () => {
        const startedAt = performance.now();
        for (let i = 0; i < pairs; i++) await (await lock.acquire(name))();
        return ((performance.now() - startedAt) * 1_000) / pairs;
      };
    },
    unkept,
  );
  for (const lock of opened) await within(5_000, Promise.resolve(lock.close?.())).catch(() => {});
  for (const node of nodes) node.disconnect();
  const floor = runners.find(({ contender }) => contender.id === 'floor')?.seen ?? [];
  return runners.map(({ contender, seen, failed }) => {
    if (failed !== undefined) return rowOf(contender, {}, `did not run: ${failed}`);
    const toFloor = median(seen.map((us, i) => us / (floor[i] ?? Number.NaN)));
    return rowOf(contender, { pairUs: median(seen), toFloor });
  });
}

const freeTable = (count: number, rows: Row[]): Table => ({
  id: `quorum-${count}-free`,
  title: `A free lock on ${count} servers, one acquire + release after the other`,
  columns: [
    { id: 'pairUs', label: 'µs', digits: 0, better: 'less' },
    { id: 'toFloor', label: '/ floor', digits: 2 },
  ],
  rows,
  aims: [
    aim(`${count} servers: latency / floor`, figureOf(rows, 'holdfast', 'toFloor'), 1.3),
    aim(`${count} servers: latency / best rival`, toBestRival(rows, 'pairUs', 'less'), 1),
  ],
  notes: [
    'The floor: the two bare commands sent to all servers in parallel, all replies awaited. Libraries that go on at the first majority of replies can be quicker than it.',
  ],
  chart: 'pairUs',
});

const contendedTable = (count: number, rows: Row[]): Table => ({
  id: `quorum-${count}-contended`,
  title: `One lock on ${count} servers, 4 processes × 5 workers, held 2 ms`,
  columns: CROWD_COLUMNS,
  rows,
  aims: [
    aimAtLeast(`${count} servers: use of the lock / best rival`, toBestRival(rows, 'use', 'more'), 1),
    aim(`${count} servers: p99 wait / best rival`, toBestRival(rows, 'p99', 'less'), 1 / 3),
  ],
  notes: [
    CROWD_NOTE,
    'redlock 5 and its fork at their best: every try is a call of its own, asked again after 0 to 20 ms, since a call that fails gives its votes back and one that retries keeps them.',
  ],
  chart: 'use',
});

const QUICK = ['holdfast', 'redis-semaphore'];

export const quorum: Part = {
  id: 'quorum',
  what: 'a lock on 3 and on 5 servers, free and contended',
  async run({ quick, progress }) {
    const servers = await startServers(5, {});
    const tables: Table[] = [];
    try {
      for (const count of [3, 5]) {
        progress(`free, ${count} servers`);
        const rows = await freeRows(servers.slice(0, count), quick ? QUICK_SIZE : FULL);
        tables.push(freeTable(count, rows));
      }
      const crowd = {
        kind: 'quorum',
        processes: quick ? 2 : 4,
        workers: 5,
        holdMs: 2,
        warmUpMs: quick ? 150 : 500,
        runMs: quick ? 200 : 2_000,
        ttlMs: TTL_MS,
        limit: 1,
      } as const;
      for (const count of quick ? [3] : [3, 5]) {
        const chosen = waiting.filter(hasQuorum).filter(({ id }) => !quick || QUICK.includes(id));
        const nodes = servers.slice(0, count);
        tables.push(contendedTable(count, await crowdRows(chosen, nodes, crowd, 1, progress)));
      }
      return tables;
    } finally {
      await Promise.all(servers.map((server) => server.shutdown()));
    }
  },
};
