/**
 * The marketplace, on a server of its own: every way under every load, listers and buyers in processes of their own. Never
 * on REDIS_URL, since it empties the server before each cell.
 */
import { availableParallelism } from 'node:os';
import { startServer } from '@holdfast/testkit';
import { Redis } from 'ioredis';
import { runCell } from './cell.ts';
import type { Load } from './data.ts';
import type { Cell, MarketResult } from './result.ts';
import { PROTECTED, WAY_LABELS, type WayName } from './ways/index.ts';

const LOADS: readonly Load[] = [
  { listers: 1, buyers: 1 },
  { listers: 5, buyers: 1 },
  { listers: 5, buyers: 5 },
];

export interface MarketOptions {
  /** Of each cell, up to `MAX_SECONDS`. Default 5. */
  readonly seconds?: number;
  readonly loads?: readonly Load[];
  readonly ways?: readonly WayName[];
  /** Called before each cell, and once at the end with `done` equal to `of`. */
  readonly onProgress?: (progress: MarketProgress) => void;
}

export interface MarketProgress {
  readonly done: number;
  readonly of: number;
  /** What comes now; `undefined` at the end. */
  readonly now: { readonly label: string; readonly load: Load } | undefined;
}

/** Ten minutes for each of fifteen cells are two and a half hours. */
export const MAX_SECONDS = 600;

/** @throws MarketBrokenError when a run did not conserve money and items */
export async function runMarket(options: MarketOptions = {}): Promise<MarketResult> {
  const { seconds = 5, loads = LOADS, ways = PROTECTED, onProgress = () => {} } = options;
  if (!(seconds > 0 && seconds <= MAX_SECONDS)) {
    throw new RangeError(`seconds: expected a number above 0 and up to ${MAX_SECONDS}, got ${seconds}`);
  }
  await using server = await startServer();
  const redis = new Redis({ host: '127.0.0.1', port: server.port });
  const plans = loads.flatMap((load) => ways.map((way) => ({ way, load, seconds })));
  const cells: Cell[] = [];
  try {
    for (const plan of plans) {
      onProgress({
        done: cells.length,
        of: plans.length,
        now: { label: WAY_LABELS[plan.way], load: plan.load },
      });
      cells.push(await runCell(redis, plan));
    }
  } finally {
    redis.disconnect();
  }
  onProgress({ done: cells.length, of: plans.length, now: undefined });
  const { label } = server.binary;
  return { server: label, node: process.version, cpus: availableParallelism(), seconds, cells };
}
