/** Sets of moments: sorted intervals that do not touch, in ms. */

export interface Interval {
  readonly from: number;
  readonly to: number;
}

export function union(intervals: readonly Interval[]): Interval[] {
  const sorted = intervals.filter(({ from, to }) => from < to).sort((a, b) => a.from - b.from);
  const joined: { from: number; to: number }[] = [];
  for (const { from, to } of sorted) {
    const last = joined.at(-1);
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
    else joined.push({ from, to });
  }
  return joined;
}

/** What of `all` is not in `without`; both as `union` makes them. */
export function subtract(all: readonly Interval[], without: readonly Interval[]): Interval[] {
  const left: Interval[] = [];
  let next = 0;
  for (let { from, to } of all) {
    while ((without[next]?.to ?? Number.POSITIVE_INFINITY) <= from) next++;
    for (let i = next; i < without.length && (without[i] as Interval).from < to; i++) {
      const hole = without[i] as Interval;
      if (from < hole.from) left.push({ from, to: hole.from });
      from = Math.max(from, hole.to);
    }
    if (from < to) left.push({ from, to });
  }
  return left;
}

export function intersect(a: readonly Interval[], b: readonly Interval[]): Interval[] {
  return subtract(a, subtract(a, b));
}

export const length = (intervals: readonly Interval[]): number =>
  intervals.reduce((sum, { from, to }) => sum + to - from, 0);
