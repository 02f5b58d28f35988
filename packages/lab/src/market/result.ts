/** What a run of the market measured: plain data. */
import type { ChapterFigures } from './chapter.ts';
import { type Load, labelOf } from './data.ts';
import type { WayName } from './ways/index.ts';

/** Of the operations of one kind, from the beginning of each until it was through. */
export interface Waits {
  readonly meanMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** One way under one load. Money and items were conserved, or there would be no cell. */
export interface Cell {
  readonly way: WayName;
  readonly label: string;
  readonly load: Load;
  readonly seconds: number;
  readonly listed: number;
  readonly bought: number;
  /** Of listings and purchases together. */
  readonly retries: number;
  /** Purchases that somebody else was quicker with. No retries: the buyer picked another listing. */
  readonly gone: number;
  /** Operations given up at their time limit. */
  readonly late: number;
  readonly buying: Waits;
  readonly listing: Waits;
  readonly operationsPerSecond: number;
  /** Jain's index of the operations per worker, of listers or of buyers, whichever is worse: 1 when all got the same, 1/n when one got all. */
  readonly fairness: number;
  /** What the workers sent to the server. */
  readonly commandsPerOperation: number;
  /** Processor time in µs, of the server and of all workers together. */
  readonly serverUsPerOperation: number;
  readonly workersUsPerOperation: number;
  /** Of the machine's processor time: what server and workers used, and what everything else on it used. */
  readonly ownShare: number;
  readonly othersShare: number;
  readonly in60s: In60s;
  /** What the check at the end went by: the warm-up and what ended after the run included. */
  readonly checked: { readonly listed: number; readonly bought: number };
  readonly chapter: ChapterFigures | null;
}

interface In60s {
  readonly listed: number;
  readonly bought: number;
  readonly retries: number;
  readonly operations: number;
}

export interface MarketResult {
  /** "Redis 7.0.15" */
  readonly server: string;
  readonly node: string;
  readonly cpus: number;
  /** Of each cell, without its warm-up. */
  readonly seconds: number;
  readonly cells: readonly Cell[];
}

export function cellOf({ cells }: MarketResult, way: WayName, load: string): Cell | undefined {
  return cells.find((cell) => cell.way === way && labelOf(cell.load) === load);
}
