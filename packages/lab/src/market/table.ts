/** The result as people read it: one block per load, and under each way what the chapter reports for it. */
import Table from 'cli-table3';
import type { ChapterFigures } from './chapter.ts';
import { labelOf } from './data.ts';
import type { Cell, MarketResult } from './result.ts';
import { ms, number } from './text.ts';

interface Column {
  readonly head: string;
  readonly of: (cell: Cell) => string;
  readonly ofChapter?: (chapter: ChapterFigures) => string;
}

const MEASURED: readonly Column[] = [
  { head: 'listed', of: ({ listed }) => number(listed) },
  { head: 'bought', of: ({ bought }) => number(bought) },
  { head: 'retries', of: ({ retries }) => number(retries) },
  {
    head: 'mean wait',
    of: ({ buying }) => ms(buying.meanMs),
    ofChapter: ({ meanWaitMs, under }) => `${under ? '< ' : ''}${meanWaitMs} ms`,
  },
  { head: 'p99 wait', of: ({ buying }) => ms(buying.p99Ms) },
  { head: 'op/s', of: ({ operationsPerSecond }) => number(operationsPerSecond) },
];
const IN_60_S: readonly Column[] = [
  {
    head: 'op, 60 s',
    of: ({ in60s }) => number(in60s.operations),
    ofChapter: ({ operationsOver }) => (operationsOver === undefined ? '' : `> ${number(operationsOver)}`),
  },
  {
    head: 'retries, 60 s',
    of: ({ in60s }) => number(in60s.retries),
    ofChapter: ({ retries }) => number(retries),
  },
];
/** So wide is the table with all columns. A narrower terminal gets two without lines, the second for what is scaled to 60 s. */
const WHOLE = 113;

/** The sentences under the table. */
export function marketLegend({ server, node, cpus, seconds }: MarketResult): string[] {
  return [
    `${server}, Node ${node}, ${cpus} cores; ${number(seconds)} s per line.`,
    'wait: of a purchase, from the pick of a listing until it is bought; op: listings and purchases together; 60 s: scaled to the time that the chapter measured for.',
    'Retries: operations begun again. A lock that is asked for again, a listing that somebody else was quicker with, and a look at an empty market are none; the time of the first two is in the wait. After each run money and items were where they belong.',
  ];
}

/** @param width in characters */
export function marketTable({ cells }: MarketResult, width = WHOLE): string {
  if (width >= WHOLE) return tableOf(cells, [...MEASURED, ...IN_60_S], {});
  const compared = cells.filter(({ chapter }) => chapter !== null);
  const tables = [tableOf(cells, MEASURED, NO_LINES)];
  if (compared.length > 0) tables.push(tableOf(compared, IN_60_S, NO_LINES));
  return tables.join('\n\n');
}

function tableOf(cells: readonly Cell[], columns: readonly Column[], chars: object): string {
  const heads = ['', ...columns.map(({ head }) => head)];
  const table = new Table({
    head: heads,
    style: { head: [], border: [], compact: true },
    colAligns: heads.map((_, column) => (column === 0 ? 'left' : 'right')),
    chars,
  });
  for (const load of new Set(cells.map((cell) => labelOf(cell.load)))) {
    table.push([{ content: `${load} (listers + buyers)`, colSpan: heads.length, hAlign: 'left' }]);
    for (const cell of cells.filter((one) => labelOf(one.load) === load)) table.push(...rows(cell, columns));
  }
  // What only fills up would wrap in a terminal that is just wide enough.
  return table.toString().replace(/ +$/gm, '');
}

function rows(cell: Cell, columns: readonly Column[]): string[][] {
  const { label, chapter } = cell;
  const own = [label, ...columns.map(({ of }) => of(cell))];
  if (chapter === null) return [own];
  return [own, ['  in the chapter', ...columns.map(({ ofChapter }) => ofChapter?.(chapter) ?? '')]];
}

const NO_LINES = {
  ...{ top: '', 'top-mid': '', 'top-left': '', 'top-right': '' },
  ...{ bottom: '', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '' },
  ...{ left: '', 'left-mid': '', mid: '', 'mid-mid': '', right: '', 'right-mid': '', middle: '' },
};
