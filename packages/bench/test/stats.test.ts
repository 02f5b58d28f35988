import { expect, test } from 'vitest';
import { jain, median, quantile } from '../src/stats.ts';

test('a quantile is one of the values, whatever their order', () => {
  expect(quantile([30, 10, 20], 0)).toBe(10);
  expect(median([30, 10, 20])).toBe(20);
  expect(quantile([30, 10, 20], 1)).toBe(30);
  expect(median([])).toBeNaN();
});

test('Jain’s index is 1 when all got the same, and 1/n when one got everything', () => {
  expect(jain([7, 7, 7])).toBe(1);
  expect(jain([9, 0, 0])).toBeCloseTo(1 / 3);
  expect(jain([1, 3])).toBeCloseTo(0.8);
});
