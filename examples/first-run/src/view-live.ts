/* For a terminal: the story scrolls by, and under it a block that is redrawn in place. */
import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { number, paint, type Style } from '@holdfast/example-common';
import type { Board, Doing, Line } from './board.ts';
import { letters } from './letters.ts';
import type { View } from './view.ts';

const FRAME_MS = 50;
const BREATH_MS = 500;
const HIDE_CURSOR = '\x1b[?25l';
const SHOW_CURSOR = '\x1b[?25h';
const CLEAR_DOWN = '\x1b[J';
const CLEAR_REST = '\x1b[K';

const STYLES: Record<Doing, Style> = {
  starting: 'dim',
  ready: 'dim',
  selling: 'yellow',
  waiting: 'white',
  HOLDS: ['green', 'bold'],
  stopped: ['yellow', 'bold'],
  killed: ['red', 'bold'],
};

export function liveView(board: Board): View {
  return new LiveView(board);
}

class LiveView implements View {
  private readonly board: Board;
  private readonly timer: NodeJS.Timeout;
  private height = 0;
  private open = true;

  constructor(board: Board) {
    this.board = board;
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
    const block = blockOf(this.board, process.stdout.columns ?? 80);
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

function blockOf(board: Board, columns: number): string[] {
  const width = Math.min(columns, 80) - 1;
  const rule = paint('dim', '─'.repeat(width));
  const lines = board.lines.map((line) => workerLine(line, board.stock > 0));
  return ['', rule, ...lines, stockLine(board, width), holderLine(board, width), rule];
}

/** Short enough for any terminal; `paint` adds no width. */
function workerLine({ name, pid, doing, sold }: Line, selling: boolean): string {
  const who = `  worker ${letters(name)} ${paint('dim', `pid ${pid ?? '-'}`.padEnd(12))}`;
  const count = selling && sold > 0 ? `sold ${String(sold).padStart(3)}` : '';
  return `${who}${paint(STYLES[doing], doing.padEnd(10))}${count}`;
}

function stockLine({ stock, stockLeft }: Board, width: number): string {
  if (stockLeft === undefined) return '';
  const room = Math.max(0, width - 22);
  const full = Math.min(room, Math.max(0, Math.round((stockLeft / stock) * room)));
  const bar = paint('green', '█'.repeat(full)) + paint('dim', '░'.repeat(room - full));
  return `  stock left ${number(stockLeft).padStart(5)}  ${bar}`;
}

function holderLine({ holders }: Board, width: number): string {
  if (holders === '') return '';
  return `  held by           ${letters(holders.slice(-Math.max(1, width - 22)))}`;
}
