/** The result as people read it: one block per load, and under each way what the chapter reports for it. */
import Table from 'cli-table3';
import type { ChapterFigures } from './chapter.ts';
import { labelOf } from './data.ts';
import type { Cell, MarketResult } from './result.ts';
import { ms, number } from './text.ts';

const HEAD = [
  '',
  'listed',
  'bought',
  'retries',
  'mean wait',
  'p99 wait',
  'op/s',
  'op, 60 s',
  'retries, 60 s',
];
const LEGEND = [
  'wait: of a purchase, from the pick of a listing until it is bought; op: listings and purchases together;',
  '60 s: scaled to the time that the chapter measured for.',
  'Retries: operations begun again. A lock that is asked for again, a listing that somebody else was quicker with, and a look',
  'at an empty market are none; the time of the first two is in the wait. After each run money and items were where they belong.',
];

export function marketTable(result: MarketResult): string {
  const table = new Table({
    head: HEAD,
    style: { head: [], border: [], compact: true },
    colAligns: HEAD.map((_, column) => (column === 0 ? 'left' : 'right')),
  });
  for (const load of new Set(result.cells.map((cell) => labelOf(cell.load)))) {
    table.push([{ content: `${load} (listers + buyers)`, colSpan: HEAD.length, hAlign: 'left' }]);
    for (const cell of result.cells.filter((one) => labelOf(one.load) === load)) table.push(...rows(cell));
  }
  const { server, node, cpus, seconds } = result;
  const where = `${server}, Node ${node}, ${cpus} cores; ${number(seconds)} s per line.`;
  return [table.toString(), where, ...LEGEND].join('\n');
}

function rows(cell: Cell): string[][] {
  const { label, listed, bought, retries, buying, operationsPerSecond, in60s, chapter } = cell;
  const own = [
    label,
    number(listed),
    number(bought),
    number(retries),
    ms(buying.meanMs),
    ms(buying.p99Ms),
    number(operationsPerSecond),
    number(in60s.operations),
    number(in60s.retries),
  ];
  return chapter === null ? [own] : [own, chaptersRow(chapter)];
}

function chaptersRow({ operationsOver, retries, meanWaitMs, under }: ChapterFigures): string[] {
  const wait = `${under ? '< ' : ''}${meanWaitMs} ms`;
  const operations = operationsOver === undefined ? '' : `> ${number(operationsOver)}`;
  return ['  in the chapter', '', '', '', wait, '', '', operations, number(retries)];
}
