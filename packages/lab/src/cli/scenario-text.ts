/** What was found in a scenario, for a terminal. */
import { bad, dim, good, paint } from '@holdfast/example-common';
import Table from 'cli-table3';
import type { ScenarioReport, ShownOrder, StepReport } from '../report/report.ts';
import { legendOf, type Row, rowsOf } from '../report/sequence.ts';
import { countsOf, shownHeading, toneOf, verdictOf, wrap } from '../report/words.ts';
import { screenWidth } from './screen.ts';

export function stepHeading({ id, name, about }: Omit<StepReport, 'scenarios'>): string {
  return `${paint('bold', `Step ${id}: ${name}`)}\n${wrap(about, screenWidth()).join('\n')}\n\n`;
}

export function scenarioText(scenario: ScenarioReport): string {
  const { name, about, shown } = scenario;
  const verdict = TONES[toneOf(scenario)](verdictOf(scenario));
  const text = [
    paint('bold', name),
    ...wrap(about, screenWidth() - 2).map(dim),
    `${countsOf(scenario)}: ${verdict}`,
    ...(shown ? ['', ...shownText(scenario, shown)] : []),
  ];
  return `${text.map((line) => `  ${line}`.trimEnd()).join('\n')}\n\n`;
}

const TONES = { good, bad, dim, found: (text: string) => paint('yellow', text) };

function shownText(scenario: ScenarioReport, shown: ShownOrder): string[] {
  const rows = rowsOf(scenario, shown);
  const heading = wrap(shownHeading(scenario, shown), screenWidth() - 2);
  const legend = legendOf(rows);
  return [...heading, ...sequence(scenario, rows).split('\n'), ...(legend ? [dim(legend)] : [])];
}

/** A column for each actor, in which it does what it does, and one for the keys. */
function sequence({ actors }: ScenarioReport, rows: readonly Row[]): string {
  // Who never does anything needs no room.
  const busy = actors.filter(({ name }) => rows.some(({ actor }) => actor === name)).length;
  const idle = actors.length - busy;
  const cell = Math.floor((screenWidth() - 8 - idle * 12) / (busy + 1)) - 2;
  const heads = actors.map(({ name, clockAheadMs }) => name + clockText(clockAheadMs));
  const head = (text: string) => wrap(text, cell).map((line) => paint('underline', line));
  const table = new Table({
    head: ['', ...[...heads, 'server: keys that changed'].map((text) => head(text).join('\n'))],
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 2 },
    chars: NO_LINES,
  });
  rows.forEach((row, i) => {
    const own = ownLines(row, cell);
    const cells = actors.map(({ name }) => (name === row.actor ? own.join('\n') : ''));
    // What happens to nobody in particular happens on the server.
    const keys = [...(row.actor === undefined ? own : []), ...keyLines(row, cell)];
    table.push([dim(String(i + 1)), ...cells, keys.join('\n')]);
  });
  return table.toString();
}

function clockText(aheadMs: number): string {
  if (aheadMs === 0) return '';
  return ` (clock ${Math.abs(aheadMs)} ms ${aheadMs > 0 ? 'ahead' : 'behind'})`;
}

function ownLines({ kind, what, reply, enters, leaves, wrong }: Row, width: number): string[] {
  const unusual = kind === 'crash' || kind === 'time' || kind === 'event';
  const said = wrap(what, width).map((line) => (unusual ? paint('yellow', line) : line));
  const answered = reply === '' ? [] : wrap(`→ ${reply}`, width).map(dim);
  return [
    ...said,
    ...answered,
    ...enters.flatMap((name) => wrap(`▶ ${name} works`, width).map((line) => paint('green', line))),
    ...(kind === 'crash'
      ? []
      : leaves.flatMap((name) => wrap(`■ ${name} has done its work`, width).map(dim))),
    ...(wrong ? wrap('✗ here it goes wrong', width).map(bad) : []),
  ];
}

function keyLines({ changes }: Row, width: number): string[] {
  return changes.flatMap(({ key, value }) =>
    value === undefined ? wrap(`${key} is gone`, width).map(dim) : wrap(`${key} = ${value}`, width),
  );
}

const NO_LINES = {
  ...{ top: '', 'top-mid': '', 'top-left': '', 'top-right': '' },
  ...{ bottom: '', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '' },
  ...{ left: '', 'left-mid': '', mid: '', 'mid-mid': '', right: '', 'right-mid': '', middle: '' },
};
