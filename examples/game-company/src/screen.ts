/* Where the story is told: lines, and on a terminal a block under them that is redrawn while the workers work. */
import { paint } from '@holdfast/example-common';

export interface Screen {
  /** A heading, with an empty line before it. */
  heading(text: string): void;
  say(...lines: string[]): void;
  /** Shows this block, always anew, until the end of the watch. */
  watch(block: () => string[]): void;
  endWatch(): void;
  /** Nothing is shown any more. May be called again. */
  close(): void;
}

const FRAME_MS = 100;

export class LineScreen implements Screen {
  private open = true;
  private timer: NodeJS.Timeout | undefined;
  /** Lines of the block that stand on the terminal now. */
  private height = 0;
  /** A block needs a terminal that can move its cursor, and where no line is broken in two. */
  private readonly live = process.stdout.isTTY && process.env.TERM !== 'dumb' && process.stdout.columns >= 80;

  heading(text: string): void {
    this.say('', paint('bold', text));
  }

  say(...lines: string[]): void {
    if (this.open) this.write(lines);
  }

  watch(block: () => string[]): void {
    if (!this.live || !this.open) return;
    this.timer = setInterval(() => this.draw(block()), FRAME_MS).unref();
  }

  endWatch(): void {
    clearInterval(this.timer);
    this.write([]);
  }

  close(): void {
    if (this.open) this.endWatch();
    this.open = false;
  }

  private draw(block: string[]): void {
    this.write(block);
    this.height = block.length;
  }

  /** In the place of the block. */
  private write(lines: string[]): void {
    const clear = this.height > 0 ? `\r\x1b[${this.height}A\x1b[J` : '';
    this.height = 0;
    process.stdout.write(clear + lines.map((line) => `${line}\n`).join(''));
  }
}

/** For `--json`: the one document is written at the end. */
export const SILENT: Screen = { heading() {}, say() {}, watch() {}, endWatch() {}, close() {} };
