import type { Interval } from './intervals.ts';

/** C1 to C9, as docs/gauntlet.md numbers them. */
export type Check = 'C1' | 'C2' | 'C3' | 'C4' | 'C5' | 'C6' | 'C7' | 'C8' | 'C9';

export interface Violation {
  readonly check: Check;
  readonly text: string;
  /** For what holds only while the server keeps its data: when it would have had to lose them, to explain this. */
  readonly span?: Interval;
}

export const saying = ({ check, text }: Violation): string => `${check} ${text}`;
