/* The board as lines under the story. */
import { number, paint, type Style } from '@holdfast/example-common';
import type { Board, Doing, Line } from './board.ts';
import { letters } from './letters.ts';

const STYLES: Record<Doing, Style> = {
  starting: 'dim',
  ready: 'dim',
  selling: 'yellow',
  waiting: 'white',
  HOLDS: ['green', 'bold'],
  stopped: ['yellow', 'bold'],
  killed: ['red', 'bold'],
};

export function boardBlock(board: Board, width: number): string[] {
  const lines = board.lines.map((line) => workerLine(line, board.stock > 0));
  return [...lines, stockLine(board, width), holderLine(board, width)];
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
