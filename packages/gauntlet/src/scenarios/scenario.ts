/** A scenario: something that is done to the library, and what it came to. */
import type { Result } from '../arena/contest.ts';
import type { Violation } from '../check/violation.ts';
import { faults } from '../faults/index.ts';

export interface Context {
  /** Everything, not only the short form. */
  readonly full: boolean;
  readonly seed: number;
}

export interface Scenario {
  readonly id: string;
  readonly what: string;
  /** Only in the full run. */
  readonly onlyFull?: true;
  run(context: Context): Promise<readonly Outcome[]>;
}

/** What a fault did, and how often. */
export interface Hits {
  readonly fault: string;
  readonly hits: number;
  /** With fewer the run says nothing. */
  readonly wanted: number;
}

export interface Outcome {
  readonly what: string;
  readonly hits: readonly Hits[];
  readonly acquisitions: number;
  readonly violations: readonly Violation[];
  /** Overlaps and losses that lost data explain: no lease can promise anything then. */
  readonly explained: number;
  readonly largestHandOverMs: number | undefined;
  /** What else was measured. */
  readonly notes: readonly string[];
  /** The histories, where something was found. */
  readonly folder?: string;
}

export type Standing = 'held' | 'violated' | 'inconclusive';

export function standingOf({ violations, hits }: Outcome): Standing {
  if (violations.length > 0) return 'violated';
  return hits.some((one) => one.hits < one.wanted) ? 'inconclusive' : 'held';
}

/** Strikes may find nobody to hit: so many of those that were planned must. */
const ENOUGH = 0.8;

export interface Told {
  readonly what: string;
  readonly result: Result;
  readonly planned?: Readonly<Record<string, number>>;
  /** At least so many of each. */
  readonly wanted?: Readonly<Record<string, number>>;
  readonly notes?: readonly string[];
}

export function outcomeOf({ what, result, planned = {}, wanted = {}, notes = [] }: Told): Outcome {
  const { evidence, verdict, violations, hits, folder } = result;
  const enough = Object.entries(planned).map(([fault, count]) => [fault, Math.ceil(count * ENOUGH)] as const);
  const needed = Object.entries({ ...Object.fromEntries(enough), ...wanted });
  const longest = Math.max(0, ...verdict.handOvers.map(({ from, to }) => to - from));
  return {
    what,
    hits: needed.map(([fault, wanted]) => ({ fault: titleOf(fault), hits: hits.get(fault) ?? 0, wanted })),
    acquisitions: evidence.leases.length,
    violations,
    explained: verdict.explained.length,
    largestHandOverMs: verdict.handOvers.length > 0 ? longest : undefined,
    notes,
    ...(violations.length > 0 && { folder }),
  };
}

function titleOf(fault: string): string {
  return fault in faults ? faults[fault as keyof typeof faults].what : (TITLES[fault] ?? fault);
}

const TITLES: Readonly<Record<string, string>> = {
  block: 'event loop blocked between check and write',
  calm: 'none',
};
