/* The summary at the end, from what was measured. */
import { bad, good, ms } from '@holdfast/example-common';
import Table from 'cli-table3';
import type { Change, Result } from './result.ts';

/** 80 columns with the borders. */
const WIDTHS = [17, 60];

export function summaryTable(result: Result): string {
  const table = new Table({ style: { head: [], border: [] }, colWidths: WIDTHS });
  for (const change of result.changes)
    table.push([title(change), change.to < change.from ? lowered(change) : raised(change)]);
  table.push(
    ['interrupted', interrupted(result)],
    ['other limits', warned(result)],
    ['at the end', end(result)],
  );
  return table.toString();
}

function title({ from, to }: Change): string {
  return from === 0 ? `limit ${to}` : `limit ${from} -> ${to}`;
}

function most({ from, to, max }: Change): string {
  const text = `never more than ${max} queries at once`;
  return max <= Math.max(from, to) ? good(text) : bad(text);
}

function raised(change: Change): string {
  const { from, to, servedAfterMs } = change;
  if (servedAfterMs === null) return most(change);
  return `${to - from} more queries began within ${good(ms(servedAfterMs))};\n${most(change)}`;
}

function lowered(change: Change): string {
  const { to, holders, endedBefore, admittedAfterMs, reachedAfterMs, max, maxAfterReached, tooMany } = change;
  const above = `${tooMany} admitted above it`;
  return [
    `the first one admitted when ${endedBefore} of ${holders} had ended (${ms(admittedAfterMs ?? 0)});`,
    `${tooMany === 0 ? good(above) : bad(above)}; ${max} at once before,`,
    `never more than ${maxAfterReached} once it was down to ${to} (${ms(reachedAfterMs ?? 0)})`,
  ].join('\n');
}

function interrupted({ interrupted, lost, queries }: Result): string {
  const text = `${interrupted} of ${queries} queries, ${lost} leases lost`;
  return interrupted + lost === 0 ? good(text) : bad(text);
}

function warned({ warnings }: Result): string {
  const told = warnings.map(({ worker, limit, times }) => `${worker} (${limit}): ${times}`).join(', ');
  return `warnings to each worker, started with (limit):\n${told}`;
}

function end({ end: { limit, held, waiting } }: Result): string {
  return `limit ${limit} stored, ${held} held, ${waiting} waiting`;
}
