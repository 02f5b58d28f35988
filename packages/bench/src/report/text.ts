/** The results for a terminal. */
import { styleText } from 'node:util';
import Table from 'cli-table3';
import { type Aim, isMet, type Table as Measured } from '../part.ts';
import type { Ran, Result } from '../run.ts';
import { aimCells, figureText, saysOf } from './figures.ts';

export function textOf(result: Result): string {
  const { server, node, cores } = result.machine;
  const noise = result.quick ? '; a quick run: its figures are noise' : '';
  return [`${server}, Node ${node}, ${cores} cores${noise}`, ...result.parts.map(partText)].join('\n\n');
}

function partText({ id, tables, failed, unhandled }: Ran): string {
  const broken = failed === undefined ? [] : [`${id} BROKE DOWN: ${failed}`];
  const lost =
    unhandled.length === 0 ? [] : [`${id}: ${unhandled.length} unhandled rejections: ${unhandled[0]}`];
  return [...tables.map(tableText), ...broken, ...lost].join('\n\n');
}

function tableText({ title, columns, rows, aims }: Measured): string {
  const table = new Table({
    head: ['', ...columns.map(({ label }) => label)],
    style: { head: [], border: [], compact: true },
    colAligns: ['left', ...columns.map(() => 'right' as const)],
  });
  for (const row of rows) table.push([row.label, ...columns.map((column) => figureText(row, column))]);
  const words = rows.flatMap(({ label, word }) => (word ? [`  ${label}: ${word}`] : []));
  return [title, table.toString(), ...words, ...aims.map(aimText)].join('\n');
}

function aimText(aim: Aim): string {
  const says = saysOf(aim);
  const met = isMet(aim);
  const coloured =
    met === undefined ? says : styleText(met ? 'green' : 'red', says, { stream: process.stdout });
  const [what, reached, bound] = aimCells(aim);
  return `  ${what}: ${reached}, aim ${bound}: ${coloured}`;
}
