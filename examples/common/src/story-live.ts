/* For a terminal: the story scrolls by, and under it a block that is redrawn in place. */
import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { paint } from './paint.ts';
import type { Block, Story } from './story.ts';

const FRAME_MS = 50;
const BREATH_MS = 500;
const HIDE_CURSOR = '\x1b[?25l';
const SHOW_CURSOR = '\x1b[?25h';
const CLEAR_DOWN = '\x1b[J';
const CLEAR_REST = '\x1b[K';

export function liveStory(block: Block): Story {
  return new LiveStory(block);
}

class LiveStory implements Story {
  private readonly block: Block;
  private readonly timer: NodeJS.Timeout;
  private height = 0;
  private open = true;

  constructor(block: Block) {
    this.block = block;
    process.stdout.write(HIDE_CURSOR);
    process.once('exit', showCursor);
    this.timer = setInterval(() => this.draw(), FRAME_MS).unref();
  }

  heading(text: string): void {
    this.say('', paint('bold', text));
  }

  say(...lines: string[]): void {
    this.draw(lines);
  }

  async breathe(): Promise<void> {
    await sleep(BREATH_MS);
  }

  close(): void {
    if (!this.open) return;
    clearInterval(this.timer);
    process.stdout.write(this.upToBlock() + CLEAR_DOWN + SHOW_CURSOR);
    process.off('exit', showCursor);
    this.open = false;
  }

  /** One write for each frame: the lines that are new in the story, then the block again. */
  private draw(story: string[] = []): void {
    if (!this.open) return;
    const width = Math.min(process.stdout.columns ?? 80, 80) - 1;
    const rule = paint('dim', '─'.repeat(width));
    const block = ['', rule, ...this.block(width), rule];
    const text = [...story, ...block].map((line) => `${line}${CLEAR_REST}\n`).join('');
    process.stdout.write(this.upToBlock() + text + CLEAR_DOWN);
    this.height = block.length;
  }

  private upToBlock(): string {
    return this.height > 0 ? `\r\x1b[${this.height}A` : '\r';
  }
}

/** Also when the program ends in a way nobody thought of. */
function showCursor(): void {
  writeSync(1, SHOW_CURSOR);
}
