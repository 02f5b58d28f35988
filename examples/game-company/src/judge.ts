/* What a scene comes to: by the marketplace's books, and by what the processes report. */
import type { Books } from './books.ts';
import { percentile } from './percentile.ts';
import type { Tally } from './protocol.ts';
import type { Guarded, Judged } from './result.ts';
import { LIMIT } from './rules.ts';

export function judge(books: Books, tookMs: number): Judged {
  const { calls, refused, mostAtOnce } = books;
  return {
    calls,
    refused,
    acceptedPerSecond: ((calls - refused) / tookMs) * 1000,
    mostAtOnce,
    highest: Math.max(...mostAtOnce),
    accountsOverLimit: mostAtOnce.filter((most) => most > LIMIT).length,
    tookMs,
  };
}

export function withTallies(judged: Judged, tallies: readonly Tally[]): Guarded {
  const busyMs = tallies.flatMap((tally) => tally.busyMs);
  return {
    ...judged,
    busy: busyMs.length,
    busyMedianMs: percentile(busyMs, 0.5),
    busyP99Ms: percentile(busyMs, 0.99),
    lost: tallies.reduce((sum, { lost }) => sum + lost, 0),
  };
}
