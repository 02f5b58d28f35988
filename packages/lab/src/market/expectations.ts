/**
 * What is expected of the table, each expectation held against what was measured. The figures are those of the run at hand; the
 * reasons, given where one does not hold, were found by measuring the locks alone, and say so.
 */
import { labelOf } from './data.ts';
import { holdfastAhead } from './expect-holdfast.ts';
import { compared, type Expectation, judged } from './judge.ts';
import { type Cell, cellOf, type MarketResult } from './result.ts';
import { number, percent } from './text.ts';

export type { Expectation } from './judge.ts';

/** Where everybody wants the same lock. */
const CONTENDED = '5+5';
/** "Far ahead". */
const FAR = 2;
/** When others use more of the machine than this, the figures are theirs as much as ours. */
const QUIET = 0.1;

/** Those that the cells of this result can answer. */
export function expectations(result: MarketResult): Expectation[] {
  const of = (way: Cell['way']) => cellOf(result, way, CONTENDED);
  return [
    ...noRetries(result.cells),
    ...itemAhead(result, of('chapter-market'), of('chapter-item')),
    ...itemAhead(result, of('holdfast-market'), of('holdfast-item')),
    ...holdfastAhead(of('chapter-market'), of('holdfast-market')),
    ...holdfastAhead(of('chapter-item'), of('holdfast-item')),
  ];
}

/** What to know about the machine before anything is read from the table; `undefined` when it was quiet. */
export function disturbance({ cells }: MarketResult): string | undefined {
  const worst = Math.max(0, ...cells.map(({ othersShare }) => othersShare));
  if (worst <= QUIET) return undefined;
  return `Other programs used up to ${percent(worst)} of the processors while this was measured: neither the figures nor what is said about them below can be relied on. Run it again on a quiet machine.`;
}

function noRetries(cells: readonly Cell[]): Expectation[] {
  const locked = cells.filter(({ way }) => way !== 'watch' && way !== 'unprotected');
  if (locked.length === 0) return [];
  const retries = locked.reduce((sum, one) => sum + one.retries, 0);
  const watched = cells.filter(({ way }) => way === 'watch').map(retriesOf);
  const beside = watched.length > 0 ? `; with WATCH ${watched.join(', ')}` : '';
  const figures = `retries with any lock, under every load: ${number(retries)}${beside}`;
  return [
    judged(retries === 0, figures, 'under a lock nothing may begin again: that is an error in the lab.'),
  ];
}

function retriesOf({ load, retries, bought }: Cell): string {
  return `${number(retries)} for ${number(bought)} purchases at ${labelOf(load)}`;
}

function itemAhead(result: MarketResult, market: Cell | undefined, item: Cell | undefined): Expectation[] {
  if (!market || !item) return [];
  const what = `the lock on the item is far ahead (${FAR} times) of the one on the market in operations per second`;
  const cells = [market, item] as const;
  const by = (cell: Cell) => cell.operationsPerSecond;
  const shown = (value: number) => `${number(value)}/s`;
  return [compared({ what, cells, by, shown, better: 'more', times: FAR, why: whyNotFar(result, item) })];
}

function whyNotFar({ cpus }: MarketResult, cell: Cell): string {
  const costUs = cell.serverUsPerOperation + cell.workersUsPerOperation;
  const most = (cpus * 1e6) / costUs;
  return `with nobody waiting the processors are the limit. An operation costs ${number(costUs)} µs of them, ${number(cell.serverUsPerOperation)} in the server and the rest in the worker, so ${cpus} cores can do ${number(most)} per second at most; server and workers had ${percent(cell.ownShare)} of them, other programs ${percent(cell.othersShare)}.`;
}
