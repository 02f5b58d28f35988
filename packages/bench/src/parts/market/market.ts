/** The textbook's marketplace, five listers and five buyers in processes of their own, with a lock on the single item. */
import { startServer, startWorker, type Worker } from '@holdfast/testkit';
import { Redis } from 'ioredis';
import { next, type Tried } from '../../crowd/crowd.ts';
import { nowMs } from '../../crowd/turn.ts';
import { aimAtLeast, bestRival, type Part, type Row, rowOf, type Table, toBestRival } from '../../part.ts';
import { type Contender, messageOf } from '../../rivals/contender.ts';
import { atTheirBest } from '../../rivals/index.ts';
import { median, quantile, sum } from '../../stats.ts';
import { open, totalFunds } from './deals.ts';

type Role = 'lister' | 'buyer';

/** Handed to a worker when it starts. */
export interface Assignment {
  readonly port: number;
  readonly contender: string;
  readonly role: Role;
  readonly id: string;
}

export interface Traded {
  readonly type: 'done';
  /** Of each deal within the window: from the end of the one before. */
  readonly tookMs: readonly number[];
  readonly failures: number;
}

interface Trade {
  readonly perSecond: number;
  readonly meanMs: number;
  readonly p99Ms: number;
  readonly failures: number;
}

const SCRIPT = new URL('../../../dist/parts/market/market-worker.js', import.meta.url);
const WARM_UP_MS = 400;
/** Ten processes start at once. */
const START_WITHIN_MS = 60_000;
const END_WITHIN_MS = 15_000;

async function trade(redis: Redis, { id }: Contender, each: number, runMs: number): Promise<Trade> {
  const ids = (role: Role) => Array.from({ length: each }, (_, i) => `${role}${i}`);
  await open(redis, ids('lister'), ids('buyer'));
  const before = await totalFunds(redis);
  const port = Number(redis.options.port);
  const employ = (role: Role) => (name: string) => {
    const ASSIGNMENT = JSON.stringify({ port, contender: id, role, id: name } satisfies Assignment);
    return startWorker(SCRIPT, { env: { ASSIGNMENT } });
  };
  const workers = [...ids('lister').map(employ('lister')), ...ids('buyer').map(employ('buyer'))];
  try {
    const done = await tradeWith(workers, runMs);
    if ((await totalFunds(redis)) !== before) throw new Error('money was made or lost');
    const took = done.flatMap(({ tookMs }) => tookMs);
    return {
      perSecond: (took.length * 1_000) / runMs,
      meanMs: sum(took) / took.length,
      p99Ms: quantile(took, 0.99),
      failures: sum(done.map(({ failures }) => failures)),
    };
  } finally {
    await Promise.all(workers.map((worker) => worker.kill9()));
  }
}

async function tradeWith(workers: readonly Worker[], runMs: number): Promise<Traded[]> {
  await Promise.all(workers.map((worker) => next(worker, 'ready', START_WITHIN_MS)));
  const from = nowMs() + WARM_UP_MS;
  for (const worker of workers) worker.send({ from, until: from + runMs });
  const withinMs = WARM_UP_MS + runMs + END_WITHIN_MS;
  return (await Promise.all(workers.map((worker) => next(worker, 'done', withinMs)))) as Traded[];
}

/** At their best settings, where they have such. */
const chosen = (quick: boolean): Contender[] =>
  atTheirBest.filter(({ id }) => !quick || ['holdfast', 'polling'].includes(id));

function rowFor(contender: Contender, runs: readonly Tried<Trade>[]): Row {
  const broken = runs.find((run) => 'failed' in run);
  if (broken !== undefined) return rowOf(contender, {}, `did not run: ${broken.failed}`);
  const seen = runs.flatMap((run) => ('seen' in run ? [run.seen] : []));
  const over = (key: keyof Trade) => median(seen.map((one) => one[key]));
  const failures = sum(seen.map((one) => one.failures));
  const figures = { perSecond: over('perSecond'), meanMs: over('meanMs'), p99Ms: over('p99Ms') };
  return rowOf(contender, figures, failures > 0 ? `${failures} operations failed` : undefined);
}

function tableOf(each: number, rows: Row[]): Table {
  const ahead = bestRival(rows, 'perSecond', 'more');
  return {
    id: 'market',
    title: `The marketplace, a lock on each item, ${each} listers and ${each} buyers`,
    columns: [
      { id: 'perSecond', label: 'deals/s', digits: 0, better: 'more' },
      { id: 'meanMs', label: 'mean, ms', digits: 1, better: 'less' },
      { id: 'p99Ms', label: 'p99, ms', digits: 1, better: 'less' },
    ],
    rows,
    aims: [
      aimAtLeast(
        `marketplace: deals/s / best rival${ahead ? ` (${ahead.row.label})` : ''}`,
        toBestRival(rows, 'perSecond', 'more'),
        1,
      ),
    ],
    notes: [
      'Each deal is five to seven commands around one lock that mostly nobody else wants, each lock with a name that was not used before. What it comes to on the whole market too: npm run lab -- market.',
    ],
    chart: 'perSecond',
  };
}

export const market: Part = {
  id: 'market',
  what: 'the marketplace with a lock on each item',
  async run({ quick, progress }) {
    await using server = await startServer();
    const redis = new Redis({ port: server.port });
    const each = quick ? 2 : 5;
    const runs = new Map<Contender, Tried<Trade>[]>(chosen(quick).map((one) => [one, []]));
    for (let round = 0; round < (quick ? 1 : 2); round++)
      for (const [contender, seen] of runs) {
        progress(contender.label);
        const tried = await trade(redis, contender, each, quick ? 200 : 1_000).then(
          (one) => ({ seen: one }),
          (error: unknown) => ({ failed: messageOf(error) }),
        );
        seen.push(tried);
      }
    redis.disconnect();
    return [
      tableOf(
        each,
        [...runs].map(([contender, seen]) => rowFor(contender, seen)),
      ),
    ];
  },
};
