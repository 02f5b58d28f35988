/** The live view as lines of text: pure. */

import { HEAD, row } from '../look/ls.ts';
import type { Entry, Overview } from '../look/overview.ts';
import { detailText } from '../look/show.ts';
import { bold, dim, paint } from '../say/paint.ts';
import { printable, table } from '../say/table.ts';
import { bounded, type State } from './state.ts';
import { waitChains } from './waits.ts';

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

const MAX_CHAINS = 5;

/** In the order in which they are listed. */
export function listed(entries: readonly Entry[], { filter, sort }: State): Entry[] {
  const wanted = entries.filter(({ name }) => name.includes(filter));
  return wanted.sort((a, b) => ORDERS[sort](a, b) || (a.name < b.name ? -1 : 1));
}

const longest = ({ holders }: Entry) => Math.max(-1, ...holders.map(({ heldForMs = -1 }) => heldForMs));
const soonest = ({ holders }: Entry) =>
  Math.min(
    Number.MAX_SAFE_INTEGER,
    ...holders.map(({ remainingMs = Number.MAX_SAFE_INTEGER }) => remainingMs),
  );

const ORDERS: Record<State['sort'], (a: Entry, b: Entry) => number> = {
  NAME: () => 0,
  FOR: (a, b) => longest(b) - longest(a),
  WAITING: (a, b) => b.queueLength - a.queueLength,
  'ENDS IN': (a, b) => soonest(a) - soonest(b),
};

export function screen(look: Overview, state: State, size: Size): string[] {
  const entries = listed(look.entries, state);
  const one = entries.find(({ name }) => name === state.shown);
  const body = one === undefined ? list(entries, state, size, look) : detailText(one).split('\n');
  const lines = [title(look, state), '', ...body].slice(0, size.rows - 1);
  while (lines.length < size.rows - 1) lines.push('');
  return [...lines, footer(state)].map((line) => cut(line, size.columns));
}

function title({ entries, looked, cut: why }: Overview, { paused, sort }: State): string {
  const held = entries.filter((one) => one.held > 0).length;
  const waiting = entries.reduce((sum, { queueLength }) => sum + queueLength, 0);
  const part = why === undefined ? '' : `, only the first ${looked} keys`;
  return `${bold('holdfast top')}  ${held} held, ${waiting} waiting, sorted by ${sort}${part}${paused ? '  PAUSED' : ''}`;
}

function list(entries: readonly Entry[], state: State, { rows }: Size, look: Overview): string[] {
  const chains = waitChains(look.entries, MAX_CHAINS);
  const waits = chains.length === 0 ? [] : ['', dim('WHO WAITS FOR WHOM'), ...chains.map(printable)];
  const room = Math.max(1, rows - 4 - waits.length);
  const selected = bounded(state.selected, entries.length);
  const from = Math.max(0, Math.min(selected - room + 1, entries.length - room));
  const from0 = Math.max(0, from);
  const lines = table(HEAD, entries.slice(from0, from0 + room).map(row))
    .trimEnd()
    .split('\n');
  const marked = lines.map((line, i) => (i - 1 === selected - from0 ? paint('inverse', line) : line));
  return [...marked, ...(entries.length === 0 ? ['', 'Nothing is held.'] : []), ...waits];
}

function footer({ typing, filter, shown }: State): string {
  if (typing) return `/${filter}_   Enter: keep, Esc: drop`;
  const filtered = filter === '' ? '' : `filter: ${filter}   `;
  return dim(
    `${filtered}${shown === undefined ? 'q quit  s sort  / filter  Enter show  p pause' : 'Esc back  q quit'}`,
  );
}

/** To so many columns; escape sequences take none. */
function cut(line: string, columns: number): string {
  let left = columns;
  let text = '';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
  for (const part of line.match(/\u001b\[[\d;]*m|[\s\S]/gu) ?? []) {
    if (part.startsWith('\u001b[')) text += part;
    else if (left-- > 0) text += part;
  }
  return text;
}
