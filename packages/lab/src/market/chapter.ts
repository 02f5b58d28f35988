/** What the chapter reports for 5 listers and 5 buyers in 60 seconds, the figures that its argument rests on. */
import type { WayName } from './ways/index.ts';

export interface ChapterFigures {
  readonly load: string;
  /** Listings and purchases together; "more than" that many. */
  readonly operationsOver?: number;
  readonly retries: number;
  readonly meanWaitMs: number;
  /** The mean wait is "under" that. */
  readonly under?: true;
}

export const CHAPTER: Readonly<Partial<Record<WayName, ChapterFigures>>> = {
  watch: { load: '5+5', retries: 161_000, meanWaitMs: 498 },
  'chapter-market': { load: '5+5', retries: 0, meanWaitMs: 14 },
  'chapter-item': { load: '5+5', operationsOver: 220_000, retries: 0, meanWaitMs: 3, under: true },
};
