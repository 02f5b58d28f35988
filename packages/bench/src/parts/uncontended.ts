/** Free locks: one acquire + release after the other, and many at the same time, with each client. */
import { type RedisProcess, startServer } from '@holdfast/testkit';
import { within } from '../bounded.ts';
import { CLIENT_IDS, CLIENT_LABELS, type Client, type ClientId, connect } from '../clients.ts';
import {
  aim,
  aimAtLeast,
  bestRival,
  figureOf,
  type Part,
  type Row,
  rowOf,
  type Table,
  toBestRival,
} from '../part.ts';
import { type Contender, type Lock, TTL_MS } from '../rivals/contender.ts';
import { alone } from '../rivals/index.ts';
import { inRounds, type Runner } from '../rounds.ts';
import { commandUs, resetStats } from '../server-use.ts';
import { median } from '../stats.ts';

const IN_FLIGHT = 64;

interface Round {
  readonly pairUs: number;
  readonly serverUs: number;
  readonly perSecond: number;
}

interface Size {
  readonly rounds: number;
  /** One after the other, in each round. */
  readonly pairs: number;
  /** In each lane of the many at the same time. */
  readonly laps: number;
}

async function measure(server: RedisProcess, id: ClientId, size: Size): Promise<Table> {
  const closing: { lock: Lock; client: Client }[] = [];
  const runners = await inRounds(
    alone.filter(({ on, lock }) => lock !== undefined && on.includes(id)),
    size.rounds,
    async (contender) => {
      const client = await connect(id, server.port);
      const lock = await contender.lock?.(client, { ttlMs: TTL_MS });
      if (lock === undefined) throw new Error('has no lock on one server');
      closing.push({ lock, client });
      await lanes(lock, contender, 1);
      return () => round(server, lock, contender, size);
    },
  );
  for (const { lock, client } of closing) {
    await within(5_000, Promise.resolve(lock.close?.())).catch(() => {});
    client.close();
  }
  return tableOf(id, rowsOf(runners));
}

async function round(server: RedisProcess, lock: Lock, contender: Contender, size: Size): Promise<Round> {
  const name = `bench:alone:${contender.id}`;
  await resetStats(server);
  const startedAt = performance.now();
  for (let i = 0; i < size.pairs; i++) await (await lock.acquire(name))();
  const pairUs = ((performance.now() - startedAt) * 1_000) / size.pairs;
  const serverUs = (await commandUs(server, contender.commands)) / size.pairs;
  const manyFrom = performance.now();
  await lanes(lock, contender, size.laps);
  const seconds = (performance.now() - manyFrom) / 1_000;
  return { pairUs, serverUs, perSecond: (IN_FLIGHT * size.laps) / seconds };
}

/** Each lane has a name of its own: nobody waits. */
async function lanes(lock: Lock, { id }: Contender, laps: number): Promise<void> {
  const lane = async (name: string) => {
    for (let i = 0; i < laps; i++) await (await lock.acquire(name))();
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, (_, i) => lane(`bench:lane:${id}:${i}`)));
}

function rowsOf(runners: readonly Runner<Round>[]): Row[] {
  const floor = runners.find(({ contender }) => contender.id === 'floor')?.seen ?? [];
  const toFloor = (seen: readonly Round[], key: 'pairUs' | 'serverUs') =>
    median(seen.map((one, i) => one[key] / (floor[i]?.[key] ?? Number.NaN)));
  return runners.map(({ contender, seen, failed }) =>
    rowOf(
      contender,
      failed === undefined
        ? {
            pairUs: median(seen.map(({ pairUs }) => pairUs)),
            pairToFloor: toFloor(seen, 'pairUs'),
            perSecond: median(seen.map(({ perSecond }) => perSecond)),
            serverUs: median(seen.map(({ serverUs }) => serverUs)),
            serverToFloor: toFloor(seen, 'serverUs'),
          }
        : {},
      failed && `did not run: ${failed}`,
    ),
  );
}

function tableOf(id: ClientId, rows: Row[]): Table {
  const client = CLIENT_LABELS[id];
  const faster = bestRival(rows, 'perSecond', 'more');
  return {
    id: `uncontended-${id}`,
    title: `${client}: a free lock`,
    columns: [
      { id: 'pairUs', label: 'µs, one after the other', digits: 0, better: 'less' },
      { id: 'pairToFloor', label: '/ floor', digits: 2 },
      { id: 'perSecond', label: `pairs/s, ${IN_FLIGHT} in flight`, digits: 0, better: 'more' },
      { id: 'serverUs', label: 'server µs', digits: 1, better: 'less' },
      { id: 'serverToFloor', label: '/ floor', digits: 2 },
    ],
    rows,
    aims: [
      aim(`${client}: latency / floor`, figureOf(rows, 'holdfast', 'pairToFloor'), 1.15),
      aim(`${client}: latency / best rival`, toBestRival(rows, 'pairUs', 'less'), 1),
      aimAtLeast(
        `${client}: pairs/s with ${IN_FLIGHT} in flight / best rival${faster ? ` (${faster.row.label})` : ''}`,
        toBestRival(rows, 'perSecond', 'more'),
        1.5,
      ),
      aim(`${client}: server time / floor`, figureOf(rows, 'holdfast', 'serverToFloor'), 1.5),
    ],
    notes: [],
    chart: 'pairUs',
  };
}

export const uncontended: Part = {
  id: 'uncontended',
  what: `a free lock: one after the other, ${IN_FLIGHT} at the same time, the server's time; three clients`,
  async run({ quick, progress }) {
    const size = quick ? { rounds: 2, pairs: 40, laps: 3 } : { rounds: 15, pairs: 500, laps: 20 };
    const tables: Table[] = [];
    for (const id of CLIENT_IDS) {
      progress(CLIENT_LABELS[id]);
      await using server = await startServer();
      tables.push(await measure(server, id, size));
    }
    return tables;
  },
};
