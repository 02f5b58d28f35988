/** An expectation, held against what was measured. */
import { labelOf } from './data.ts';
import type { Cell } from './result.ts';
import { number } from './text.ts';

export interface Expectation {
  readonly holds: boolean;
  /** Begins with "holds: " or "does not hold: ". */
  readonly text: string;
  /** Why it does not hold. */
  readonly why?: string;
}

/** What is closer together than this is level, and no expectation holds by it. */
const LEVEL = 1.05;

interface Compared {
  readonly what: string;
  readonly cells: readonly [one: Cell, other: Cell];
  readonly by: (cell: Cell) => number;
  readonly shown: (value: number) => string;
  /** Which of the two is expected to be the better one: the smaller or the larger. */
  readonly better: 'less' | 'more';
  /** How many times better it has to be. */
  readonly times?: number;
  readonly why: string;
}

/** Expects the second cell to be better than the first. */
export function compared({ what, cells, by, shown, better, times = LEVEL, why }: Compared): Expectation {
  const [one, other] = cells;
  const ratio = better === 'more' ? by(other) / by(one) : by(one) / by(other);
  const figures = `${shown(by(other))} (${other.label}) against ${shown(by(one))} (${one.label})`;
  const holds = ratio >= times;
  const verdict = ratio >= 1 ? `${number(ratio)} times better` : `${number(1 / ratio)} times worse`;
  return judged(holds, `${what} at ${labelOf(other.load)}: ${figures}, ${verdict}`, why);
}

/** @param why told only when it does not hold */
export function judged(holds: boolean, figures: string, why: string): Expectation {
  return holds ? { holds, text: `holds: ${figures}.` } : { holds, text: `does not hold: ${figures}.`, why };
}
