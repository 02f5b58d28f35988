import { expect, test } from 'vitest';
import { countOverlaps, summarize } from '../src/crowd/summary.ts';
import type { Turn } from '../src/crowd/turn.ts';

const WINDOW = { from: 1_000, until: 2_000 };

const turn = (askedAt: number, gotAt?: number, leftAt?: number, failedAt: number[] = []): Turn => ({
  askedAt,
  failedAt,
  ...(gotAt !== undefined && { gotAt }),
  ...(leftAt !== undefined && { leftAt }),
});

test('a hold that begins while another one lasts is an overlap, whatever the order it is reported in', () => {
  expect(
    countOverlaps([
      [5, 7],
      [0, 5],
    ]),
  ).toBe(0);
  expect(
    countOverlaps([
      [4.9, 7],
      [0, 5],
    ]),
  ).toBe(1);
  expect(
    countOverlaps([
      [0, 10],
      [1, 2],
      [3, 4],
    ]),
  ).toBe(2);
});

test('a hold that still lasts at the end overlaps with every later one, and counts as use up to the end', () => {
  const seen = summarize([[turn(1_000, 1_500)], [turn(1_000, 1_900, 1_950)]], WINDOW);
  expect(seen).toMatchObject({ violations: 1, acquisitions: 2 });
  expect(summarize([[turn(1_000, 1_500)]], WINDOW).use).toBe(0.5);
});

test('of a hold that began in the warm-up only what lies in the window is use, and its wait does not count', () => {
  const seen = summarize([[turn(0, 900, 1_100)]], WINDOW);
  expect(seen.use).toBeCloseTo(0.1);
  expect(seen).toMatchObject({ acquisitions: 0, waitMaxMs: Number.NaN });
});

test('a wait lasts from the first ask over every failure to the grant, and one cut off by the end as long as it had lasted', () => {
  const seen = summarize([[turn(1_000, 1_400, 1_500, [1_100, 1_200]), turn(1_500)]], WINDOW);
  expect(seen).toMatchObject({ waitP50Ms: 500, waitMaxMs: 500, waitMeanMs: 450, failures: 2 });
});

test('fairness counts the workers that got nothing', () => {
  expect(summarize([[turn(1_000, 1_100, 1_200)], [turn(1_000)]], WINDOW).jain).toBe(0.5);
});

test('as many as the limit may hold at once, and one more is an overlap', () => {
  const three = [
    [0, 10],
    [1, 10],
    [2, 10],
  ] as const;
  expect(countOverlaps(three, 3)).toBe(0);
  expect(countOverlaps(three, 2)).toBe(1);
  expect(countOverlaps([...three.slice(0, 2), [10, 12]], 2)).toBe(0);
});

test('the use of a semaphore is that of each permit', () => {
  expect(summarize([[turn(1_000, 1_000, 2_000)]], WINDOW, 2).use).toBe(0.5);
});
