import type { Board } from './board.ts';

/** Where the story is told. */
export interface View {
  /** A heading, with an empty line before it. */
  heading(text: string): void;
  say(...lines: string[]): void;
  /** Time to read; none where nobody watches. */
  breathe(): Promise<void>;
  /** Nothing is shown any more, and the terminal is as it was. May be called again. */
  close(): void;
}

export type MakeView = (board: Board) => View;
