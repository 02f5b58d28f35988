/** The marketplace on the page: charts of what was measured, the table, and what was expected. */
import { number } from '@holdfast/example-common';
import { barChart, type Chart } from './bar-chart.ts';
import { type Markup, markup } from './markup.ts';

/** What the page needs of one way under one load. */
interface MarketCell {
  /** The way in which the deals are kept apart: "Holdfast, item". */
  readonly label: string;
  readonly load: { readonly listers: number; readonly buyers: number };
  readonly listed: number;
  readonly bought: number;
  readonly retries: number;
  /** Of purchases. */
  readonly buying: { readonly meanMs: number; readonly p99Ms: number };
  readonly operationsPerSecond: number;
  /** Scaled to the time for which the chapter measured. */
  readonly in60s: { readonly retries: number; readonly operations: number };
  /** What the chapter reports for it. */
  readonly chapter: ChapterFigures | null;
}

interface ChapterFigures {
  readonly operationsOver?: number;
  readonly retries: number;
  readonly meanWaitMs: number;
  /** The mean wait is less than that. */
  readonly under?: true;
}

export interface MarketFigures {
  readonly server: string;
  readonly node: string;
  readonly cpus: number;
  /** Of each cell. */
  readonly seconds: number;
  readonly cells: readonly MarketCell[];
}

export interface Expectation {
  readonly holds: boolean;
  readonly text: string;
  /** Why it does not hold. */
  readonly why?: string;
}

export interface MarketReport {
  readonly result: MarketFigures;
  readonly expectations: readonly Expectation[];
}

export function marketCharts({ cells }: Pick<MarketFigures, 'cells'>): Chart[] {
  const loads = [...new Set(cells.map(loadOf))];
  const chart = (title: string, unit: string, figureOf: (cell: MarketCell) => number): Chart => ({
    title,
    unit,
    groups: loads.map((load) => ({
      label: `${load} (listers + buyers)`,
      bars: cells
        .filter((cell) => loadOf(cell) === load)
        .map((cell) => ({ label: cell.label, value: figureOf(cell) })),
    })),
  });
  return [
    chart('Operations per second', 'op/s', ({ operationsPerSecond }) => operationsPerSecond),
    chart('Mean wait of a purchase', 'ms', ({ buying }) => buying.meanMs),
    chart('p99 wait of a purchase', 'ms', ({ buying }) => buying.p99Ms),
  ];
}

export function marketSection({ result, expectations }: MarketReport): Markup {
  const { server, node, cpus, seconds } = result;
  const held = expectations.map(
    ({ holds, text, why }) =>
      markup`<li class="${holds ? 'holds' : 'fails'}">${text}${why && markup`<p class="small">Why: ${why}</p>`}</li>\n`,
  );
  return markup`<section id="market">
<h2>The marketplace</h2>
<p>Listers put items on one market and buyers buy them, in processes of their own. Each way of keeping the deals apart was measured for ${number(seconds)} s under each load, on ${server}, Node ${node}, ${cpus} cores. Money and items are where they belong: that was checked after each run.</p>
<div class="charts">${marketCharts(result).map((chart) => markup`<figure>${barChart(chart)}</figure>\n`)}</div>
${table(result)}
${held.length > 0 ? markup`<h3>What was expected</h3>\n<ul class="expectations">${held}</ul>` : undefined}
</section>`;
}

const COLUMNS = ['listed', 'bought', 'retries', 'mean wait', 'p99 wait', 'op/s', 'op, 60 s', 'retries, 60 s'];

function table({ cells }: MarketFigures): Markup {
  const rows = cells.flatMap((cell, i) => {
    const first = i === 0 || loadOf(cell) !== loadOf(cells[i - 1] as MarketCell);
    const head = `${loadOf(cell)} (listers + buyers)`;
    const load = markup`<tr class="load"><th scope="rowgroup" colspan="${COLUMNS.length + 1}"><span>${head}</span></th></tr>\n`;
    const own = tableRow('', cell.label, figuresOf(cell));
    const theirs = cell.chapter && tableRow('chapter', 'in the chapter', chaptersFigures(cell.chapter));
    return [...(first ? [load] : []), own, ...(theirs ? [theirs] : [])];
  });
  const heads = COLUMNS.map((name) => markup`<th scope="col">${name}</th>`);
  return markup`<div class="scroll" tabindex="0" role="region" aria-label="What was measured">
<table class="figures"><thead><tr><td></td>${heads}</tr></thead>
<tbody>${rows}</tbody></table></div>
<p class="small">op: listings and purchases together; wait: of a purchase, from the pick of a listing until it is bought; 60 s: scaled to the time for which the chapter measured. Retries are operations begun again; a lock that is asked for again, or a listing that somebody else was quicker with, is none, but its time is in the wait.</p>`;
}

function tableRow(kind: string, label: string, figures: readonly string[]): Markup {
  return markup`<tr class="${kind}"><th scope="row">${label}</th>${figures.map((text) => markup`<td>${text}</td>`)}</tr>\n`;
}

function figuresOf({ listed, bought, retries, buying, operationsPerSecond, in60s }: MarketCell): string[] {
  const waits = [buying.meanMs, buying.p99Ms].map((ms) => `${number(ms, ms < 10 ? 2 : 0)} ms`);
  const scaled = [operationsPerSecond, in60s.operations, in60s.retries].map((value) => number(value));
  return [number(listed), number(bought), number(retries), ...waits, ...scaled];
}

function chaptersFigures({ operationsOver, retries, meanWaitMs, under }: ChapterFigures): string[] {
  const wait = `${under ? '< ' : ''}${number(meanWaitMs)} ms`;
  return [
    '',
    '',
    '',
    wait,
    '',
    '',
    operationsOver === undefined ? '' : `> ${number(operationsOver)}`,
    number(retries),
  ];
}

function loadOf({ load }: MarketCell): string {
  return `${load.listers}+${load.buyers}`;
}
