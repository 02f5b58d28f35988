/** Figures as people read them. */
import type { Hits, Outcome } from '../scenarios/scenario.ts';

/** The rule of three: none in n leaves room, with 95 % confidence, for 3/n (Hanley, Lippman-Hand, 1983). */
export function bound({ hits }: Hits, violations: number): string {
  if (violations > 0) return `${violations} of ${hits}`;
  if (hits === 0) return '–';
  return `0 of ${hits}, ≤ ${Number(Math.min(100, 300 / hits).toPrecision(2))} %`;
}

export const handOver = ({ largestHandOverMs }: Outcome): string =>
  largestHandOverMs === undefined ? '–' : `${largestHandOverMs.toFixed(0)} ms`;

export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
