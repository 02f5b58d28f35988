/** Exponential backoff with full jitter (after "Exponential Backoff And Jitter", AWS Architecture Blog, 2015). */
export interface BackoffRange {
  readonly firstMs: number;
  readonly maxMs: number;
}

/**
 * The delay before attempt `attempt` (0, 1, …): between half and the whole of `firstMs · 2^attempt`, at most `maxMs`.
 * @param random a number in [0, 1), so that a test can seed it
 */
export function backoffMs(attempt: number, range: BackoffRange, random: number): number {
  const ceiling = Math.min(range.maxMs, range.firstMs * 2 ** Math.min(attempt, 30));
  return ceiling * (0.5 + random / 2);
}

/** An attempt that gets less time than this before its caller's deadline says only that it was late. */
const LEAST_ATTEMPT_MS = 50;

/**
 * The same delay before a deadline that is `remainingMs` away. One that is too long for it becomes half of what remains, so that a wait is
 * used to near its end; `undefined` when that leaves too little for a further attempt.
 */
export function backoffBefore(
  remainingMs: number,
  attempt: number,
  range: BackoffRange,
  random: number,
): number | undefined {
  const delay = backoffMs(attempt, range, random);
  if (delay < remainingMs) return delay;
  return remainingMs / 2 < LEAST_ATTEMPT_MS ? undefined : remainingMs / 2;
}
