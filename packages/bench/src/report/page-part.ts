/** A part on the page: its tables with their charts, words and aims. */
import { type Aim, isMet, type Table } from '../part.ts';
import type { Ran } from '../run.ts';
import { chartOf } from './chart.ts';
import { aimCells, figureText, saysOf } from './figures.ts';

/** Where the charts are, from the page. */
export const CHARTS = 'benchmarks';
export const chartFile = (table: Table, theme: string): string => `${table.id}-${theme}.svg`;

export function partLines({ id, what, tables, failed, unhandled }: Ran): string[] {
  const notes = [...new Set(tables.flatMap((table) => table.notes))];
  return [
    `## ${id}: ${what}`,
    '',
    ...(failed === undefined ? [] : [`**Broke down:** ${failed}`, '']),
    ...tables.flatMap(tableLines),
    ...(unhandled.length === 0
      ? []
      : [`${unhandled.length} rejections that nobody handles, the first of them: ${unhandled[0]}`, '']),
    ...notes.flatMap((note) => [note, '']),
  ];
}

function tableLines(table: Table): string[] {
  const { title, columns, rows, aims } = table;
  const words = rows.flatMap(({ label, word }) => (word ? [`- ${label}: ${word}`] : []));
  return [
    `### ${title}`,
    '',
    ...pictureLines(table),
    `| | ${columns.map(({ label }) => label).join(' | ')} |`,
    `|---|${columns.map(() => '--:').join('|')}|`,
    ...rows.map((row) => {
      const label = row.role === 'holdfast' ? `**${row.label}**` : row.label;
      return `| ${[label, ...columns.map((column) => figureText(row, column))].join(' | ')} |`;
    }),
    '',
    ...(words.length > 0 ? [...words, ''] : []),
    ...aimLines(aims),
  ];
}

function aimLines(aims: readonly Aim[]): string[] {
  if (aims.length === 0) return [];
  const lines = aims.map((aim) => {
    const says = isMet(aim) === false ? `**${saysOf(aim).toLowerCase()}**` : saysOf(aim);
    return `| ${[...aimCells(aim), says].join(' | ')} |`;
  });
  return ['| aim | reached | aimed at | |', '|---|--:|--:|---|', ...lines, ''];
}

function pictureLines(table: Table): string[] {
  if (chartOf(table, 'light') === undefined) return [];
  const file = (theme: string) => `${CHARTS}/${chartFile(table, theme)}`;
  return [
    '<picture>',
    `  <source media="(prefers-color-scheme: dark)" srcset="${file('dark')}">`,
    `  <img alt="${table.title}" src="${file('light')}">`,
    '</picture>',
    '',
  ];
}
