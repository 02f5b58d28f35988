/** One way under one load: open the market, let the workers trade, check what is left. */
import { startWorker, type Worker } from '@holdfast/testkit';
import type { Redis } from 'ioredis';
import { MarketBrokenError, violations } from './check.ts';
import { buyers, type Load, labelOf, open, openingOf, sellers } from './data.ts';
import { type ProcessorTime, processorTime, spent } from './processor.ts';
import type { Assignment, Finished, FromWorker, Go, Role } from './protocol.ts';
import { readMarket } from './read-market.ts';
import type { Cell } from './result.ts';
import { summary } from './summary.ts';
import { WAY_LABELS, type WayName } from './ways/index.ts';

/** Found from `src` (the tests) and from `dist` alike: processes run what was built. */
const SCRIPT = new URL('../../dist/market/worker.js', import.meta.url);
/** Connections, subscriptions, scripts and compiled code come about outside the count: a fifth of the run within these. */
const WARM_UP_MS = { least: 300, most: 1_000 };
const START_WITHIN_MS = 30_000;
/** The longest operation, and some. */
const END_WITHIN_MS = 15_000;

export interface CellPlan {
  readonly way: WayName;
  readonly load: Load;
  readonly seconds: number;
}

/** @throws MarketBrokenError when money or items were not conserved */
export async function runCell(redis: Redis, plan: CellPlan): Promise<Cell> {
  const { way, load } = plan;
  await open(redis, load);
  const { finished, processor } = await trade(redis, plan);
  const journals = finished.map(({ journal }) => journal);
  const wrong = violations(await readMarket(redis, load), load, journals);
  if (wrong.length > 0) throw new MarketBrokenError(`${WAY_LABELS[way]} at ${labelOf(load)}`, wrong);
  return summary(
    plan,
    finished.map(({ measured }) => measured),
    processor,
  );
}

interface Trade {
  readonly finished: readonly Finished[];
  readonly processor: ProcessorTime;
}

async function trade(redis: Redis, { way, load, seconds }: CellPlan): Promise<Trade> {
  const port = Number(redis.options.port);
  const hire = (role: Role) => (id: string) =>
    employ({ port, way, role, id, firstItem: role === 'lister' ? openingOf(load) : 0 });
  const workers = [...sellers(load).map(hire('lister')), ...buyers(load).map(hire('buyer'))];
  try {
    await Promise.all(workers.map((worker) => hear(worker, 'ready', START_WITHIN_MS)));
    const before = await processorTime(redis);
    const go: Go = { type: 'go', warmUpMs: warmUpMs(seconds), runMs: seconds * 1_000 };
    for (const worker of workers) worker.send({ ...go });
    const withinMs = go.warmUpMs + go.runMs + END_WITHIN_MS;
    const done = await Promise.all(workers.map((worker) => hear(worker, 'done', withinMs)));
    return { finished: done as Finished[], processor: spent(before, await processorTime(redis)) };
  } finally {
    await Promise.all(workers.map((worker) => worker.kill9()));
  }
}

function warmUpMs(seconds: number): number {
  return Math.min(WARM_UP_MS.most, Math.max(WARM_UP_MS.least, seconds * 200));
}

function employ(assignment: Assignment): Worker {
  return startWorker(SCRIPT, { env: { ASSIGNMENT: JSON.stringify(assignment) } });
}

function hear(worker: Worker, type: FromWorker['type'], withinMs: number): Promise<FromWorker> {
  return worker.waitFor<FromWorker>((message) => message.type === type, withinMs);
}
