/** What the turns of all workers come to, within the measured window. */
import { jain, median, quantile } from '../stats.ts';
import type { Turn } from './turn.ts';

export interface Window {
  readonly from: number;
  readonly until: number;
}

export interface Contended {
  readonly acquisitions: number;
  readonly perSecond: number;
  /** Time held / time run, of each permit. */
  readonly use: number;
  /** Waits in ms, from the first ask to the grant, over failures. Those cut off by the end count with what they had lasted. */
  readonly waitMeanMs: number;
  readonly waitP50Ms: number;
  readonly waitP99Ms: number;
  readonly waitMaxMs: number;
  readonly jain: number;
  /** How often `acquire` gave up. */
  readonly failures: number;
  readonly failedReleases: number;
  /** Holds that began while as many as may lasted. */
  readonly violations: number;
}

/** @param workers the turns of each worker, of the warm-up too  @param limit how many may hold at once */
export function summarize(workers: readonly (readonly Turn[])[], window: Window, limit = 1): Contended {
  const turns = workers.flat();
  const waits = turns.flatMap((turn) => waitWithin(turn, window));
  const acquisitions = grantsWithin(turns, window);
  const runMs = window.until - window.from;
  return {
    acquisitions,
    perSecond: (acquisitions * 1_000) / runMs,
    use: heldWithin(turns, window) / runMs / limit,
    waitMeanMs: waits.reduce((a, b) => a + b, 0) / waits.length,
    waitP50Ms: median(waits),
    waitP99Ms: quantile(waits, 0.99),
    waitMaxMs: quantile(waits, 1),
    jain: jain(workers.map((own) => grantsWithin(own, window))),
    failures: turns.flatMap(({ failedAt }) => failedAt).filter((at) => isWithin(at, window)).length,
    failedReleases: turns.filter(({ releaseFailed }) => releaseFailed).length,
    violations: countOverlaps(holdsOf(turns), limit),
  };
}

const isWithin = (at: number | undefined, { from, until }: Window): boolean =>
  at !== undefined && at >= from && at < until;

const grantsWithin = (turns: readonly Turn[], window: Window): number =>
  turns.filter(({ gotAt }) => isWithin(gotAt, window)).length;

/** None for a grant of the warm-up. */
function waitWithin({ askedAt, gotAt = Number.POSITIVE_INFINITY }: Turn, { from, until }: Window): number[] {
  return gotAt < from || askedAt >= until ? [] : [Math.min(gotAt, until) - askedAt];
}

function heldWithin(turns: readonly Turn[], { from, until }: Window): number {
  const parts = holdsOf(turns).map(([start, end]) => Math.min(end, until) - Math.max(start, from));
  return parts.reduce((sum, part) => sum + Math.max(part, 0), 0);
}

type Hold = readonly [start: number, end: number];

function holdsOf(turns: readonly Turn[]): Hold[] {
  return turns.flatMap(({ gotAt, leftAt = Number.POSITIVE_INFINITY }) =>
    gotAt === undefined ? [] : [[gotAt, leftAt] as const],
  );
}

/** Each hold is taken from after its grant to before its release, so that an overlap is never the clock's doing. */
export function countOverlaps(holds: readonly Hold[], limit = 1): number {
  let overlaps = 0;
  let lasting: number[] = [];
  for (const [start, end] of [...holds].sort(([a], [b]) => a - b)) {
    lasting = lasting.filter((other) => other > start);
    if (lasting.length >= limit) overlaps++;
    lasting.push(end);
  }
  return overlaps;
}
