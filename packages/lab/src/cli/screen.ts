/** How much room there is. */

const LEAST = 72;
const MOST = 132;

/** Columns for text on stdout; where it is no terminal, a plausible page. */
export function screenWidth(): number {
  return Math.min(MOST, Math.max(LEAST, process.stdout.columns ?? 100));
}
