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
