/* One number per account, side by side. 78 columns. */
import { bad, dim, good } from '@holdfast/example-common';
import { ACCOUNTS, LIMIT } from './rules.ts';

const CELL = 3;

export function accountHeader(): string {
  const numbers = Array.from({ length: ACCOUNTS }, (_, i) => String(i + 1).padStart(CELL));
  return dim(`   ${'account'.padEnd(15)}${numbers.join('')}`);
}

/** Red where it is over the limit, green where it is reached. */
export function accountRow(label: string, counts: readonly number[]): string {
  return `   ${label.padEnd(15)}${counts.map(cell).join('')}`;
}

function cell(count: number): string {
  const text = String(count).padStart(CELL);
  if (count > LIMIT) return bad(text);
  return count === LIMIT ? good(text) : text;
}
