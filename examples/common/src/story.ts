/* Where a program tells what happens: lines in a pipe, lines with a block under them on a terminal, or nowhere. */
import { paint } from './paint.ts';
import { liveStory } from './story-live.ts';

export interface Story {
  /** A heading, with an empty line before it. */
  heading(text: string): void;
  say(...lines: string[]): void;
  /** Time to read; none where nobody watches. */
  breathe(): Promise<void>;
  /** Nothing is shown any more, and the terminal is as it was. May be called again. */
  close(): void;
}

/** What can be seen at this moment, for a terminal of this width; drawn again and again. */
export type Block = (width: number) => string[];
export type MakeStory = (block: Block) => Story;

/** The live block needs a terminal that can move its cursor, and some room. */
export function chooseStory(json: boolean): MakeStory {
  if (json) return silentStory;
  const { isTTY, columns, rows } = process.stdout;
  return isTTY && process.env.TERM !== 'dumb' && columns >= 60 && rows >= 16 ? liveStory : plainStory;
}

function plainStory(): Story {
  let open = true;
  const say = (...lines: string[]) => {
    if (open) for (const line of lines) process.stdout.write(`${line}\n`);
  };
  return {
    say,
    heading: (text) => say('', paint('bold', text)),
    breathe: async () => {},
    close: () => {
      open = false;
    },
  };
}

/** For `--json`: the one document is written at the end. */
function silentStory(): Story {
  return { say() {}, heading() {}, breathe: async () => {}, close() {} };
}
