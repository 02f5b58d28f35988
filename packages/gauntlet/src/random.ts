/** Chance from a seed: the same seed, the same draws. */

export interface Random {
  /** From 0 to 1, 1 excluded. */
  next(): number;
  /** A whole number from 0 to n - 1. */
  below(n: number): number;
  between(min: number, max: number): number;
  pick<T>(list: readonly T[]): T;
}

/** mulberry32 */
export function seeded(seed: number): Random {
  let state = seed | 0;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const below = (n: number) => Math.floor(next() * n);
  return {
    next,
    below,
    between: (min, max) => min + next() * (max - min),
    pick: (list) => {
      if (list.length === 0) throw new RangeError('there is nothing to pick from');
      return list[below(list.length)] as (typeof list)[number];
    },
  };
}

/** A seed for each of several users of one seed. */
export const derived = (seed: number, index: number): number => Math.imul(seed, 10_007) + index;
