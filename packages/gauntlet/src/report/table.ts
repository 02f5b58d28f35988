/** The table at the end of a run: a line for each fault. */
import { styleText } from 'node:util';
import Table from 'cli-table3';
import type { Ran } from '../run.ts';
import { type Hits, type Outcome, type Standing, standingOf } from '../scenarios/scenario.ts';
import { bound, handOver } from './text.ts';

const HEAD = ['scenario', 'fault', 'hits', 'needed', 'acquired', 'violations', 'longest hand-over', ''];
const VIOLATIONS = HEAD.indexOf('violations');
const SAYS: Readonly<Record<Standing, string>> = {
  held: 'held',
  violated: 'VIOLATED',
  inconclusive: 'INCONCLUSIVE',
};

export function tableOf(all: readonly Ran[]): string {
  const table = new Table({
    head: HEAD,
    style: { head: [], border: [], compact: true },
    colAligns: ['left', 'left', 'right', 'right', 'right', 'left', 'right', 'left'],
    colWidths: [null, 44, null, null, null, null, null, null],
    wordWrap: true,
  });
  for (const { scenario, outcomes } of all)
    for (const outcome of outcomes) table.push(...rows(scenario.id, outcome));
  return table.toString();
}

function rows(id: string, outcome: Outcome): string[][] {
  const [first, ...others] = outcome.hits;
  const shared = [String(outcome.acquisitions)];
  const control = id === 'controls';
  const lines = [row(`${id}: ${outcome.what}`, first, outcome, shared, standing(outcome, control))];
  for (const hits of others) lines.push(row('', hits, outcome, [''], ''));
  // What a control is convicted of is its hits; it has no violations of its own.
  return control ? lines.map((cells) => cells.with(VIOLATIONS, '')) : lines;
}

function row(
  what: string,
  hits: Hits | undefined,
  outcome: Outcome,
  acquired: string[],
  says: string,
): string[] {
  if (hits === undefined) return [what, '', '', '', ...acquired, '', '', says];
  const numbers = [hits.fault, String(hits.hits), String(hits.wanted)];
  return [what, ...numbers, ...acquired, bound(hits, outcome.violations.length), handOver(outcome), says];
}

function standing(outcome: Outcome, control: boolean): string {
  const is = standingOf(outcome);
  const says = control && is === 'held' ? 'found' : SAYS[is];
  return styleText(is === 'held' ? 'green' : 'red', says, { stream: process.stdout });
}
