import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Interval, intersect, length, subtract, union } from '../src/check/intervals.ts';

const points = 40;
const intervals = fc.array(
  fc.tuple(fc.nat(points), fc.nat(points)).map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) })),
  { maxLength: 12 },
);
const covers = (all: readonly Interval[], at: number) => all.some(({ from, to }) => from <= at && at < to);
/** Halves lie inside of an interval or outside, never on an edge. */
const moments = Array.from({ length: points }, (_, i) => i + 0.5);

describe('intervals', () => {
  it('are sets of moments', () => {
    fc.assert(
      fc.property(intervals, intervals, (a, b) => {
        const [left, right] = [union(a), union(b)];
        for (const at of moments) {
          const [inA, inB] = [covers(a, at), covers(b, at)];
          expect(covers(left, at)).toBe(inA);
          expect(covers(subtract(left, right), at)).toBe(inA && !inB);
          expect(covers(intersect(left, right), at)).toBe(inA && inB);
        }
        expect(length(left)).toBe(moments.filter((at) => covers(a, at)).length);
      }),
    );
  });
});
