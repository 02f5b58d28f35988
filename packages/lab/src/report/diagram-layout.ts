/** Where everything in a sequence diagram goes: lifelines from left to right, one row under the other. Sizes in px. */
import type { Row } from './sequence.ts';
import { wrap } from './words.ts';

/** Of a character of the commands' fixed-width letters at 12 px, with a reserve for fonts that differ. */
const CHARACTER = 7.4;
export const LINE = 15;
const HEAD = 48;
/** Left of it stand the number of the row and the word "works". */
const FIRST_ACTOR = 66;
const BETWEEN_ACTORS = 116;
/** From the last actor to the server, and the room for keys: as the texts need it, within these bounds. */
const TO_SERVER = [180, 350] as const;
const KEYS = [150, 290] as const;
/** From a lifeline to the text beside it. */
export const ASIDE = 12;

export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly lifelineTop: number;
  readonly xOf: ReadonlyMap<string, number>;
  readonly serverX: number;
  readonly keysX: number;
  readonly rows: readonly PlacedRow[];
}

export interface PlacedRow {
  readonly row: Row;
  readonly top: number;
  readonly bottom: number;
  /** Where its main line is: the arrow of a command, the middle of a mark. */
  readonly y: number;
  readonly what: readonly string[];
  readonly reply: readonly string[];
  readonly keys: readonly KeyText[];
}

interface KeyText {
  readonly text: string;
  readonly kind: 'key' | 'gone' | 'alarm';
}

export function layoutOf(actors: readonly string[], rows: readonly Row[]): Layout {
  const xOf = new Map(actors.map((name, i) => [name, FIRST_ACTOR + i * BETWEEN_ACTORS]));
  const xOfRow = ({ actor }: Row) => xOf.get(actor ?? '') ?? FIRST_ACTOR;
  const lastX = FIRST_ACTOR + Math.max(0, actors.length - 1) * BETWEEN_ACTORS;
  const ends = rows.map((row) => xOfRow(row) + 3 * ASIDE + widthOf(row.what) - lastX);
  const serverX = lastX + within(TO_SERVER, ends);
  const keysX = serverX + ASIDE + 4;
  const keysWidth = within(
    KEYS,
    rows.flatMap(keyTexts).map(({ text }) => widthOf(text) + ASIDE),
  );
  const placed: PlacedRow[] = [];
  for (const row of rows) {
    const room = charactersIn(serverX - xOfRow(row) - 2 * ASIDE);
    placed.push(place(row, placed.at(-1)?.bottom ?? HEAD, room, charactersIn(keysWidth - ASIDE)));
  }
  const height = (placed.at(-1)?.bottom ?? HEAD) + 12;
  return { width: keysX + keysWidth, height, lifelineTop: HEAD - 10, xOf, serverX, keysX, rows: placed };
}

function place(row: Row, top: number, room: number, keysRoom: number): PlacedRow {
  const what = wrap(row.what, room);
  const reply = row.reply === '' ? [] : wrap(row.reply, room - 2);
  const keys = keyTexts(row).flatMap(({ text, kind }) =>
    wrap(text, keysRoom).map((line) => ({ text: line, kind })),
  );
  const below = row.kind === 'command' ? 8 + reply.length * LINE : 6 + (what.length * LINE) / 2;
  // Whole pixels, so that boxes that meet have no seam.
  const y = top + 12 + Math.ceil(what.length * LINE * (row.kind === 'command' ? 1 : 0.5));
  const bottom = Math.ceil(Math.max(y + below, top + 12 + keys.length * LINE)) + 10;
  return { row, top, bottom, y, what, reply, keys };
}

/** What stands beside the server. */
function keyTexts({ changes, wrong }: Row): KeyText[] {
  const keys = changes.map(({ key, value }): KeyText => {
    return value === undefined
      ? { text: `${key} is gone`, kind: 'gone' }
      : { text: `${key} = ${value}`, kind: 'key' };
  });
  return wrong ? [...keys, { text: '✗ here it goes wrong', kind: 'alarm' }] : keys;
}

function within([least, most]: readonly [number, number], sizes: readonly number[]): number {
  return Math.ceil(Math.min(most, Math.max(least, ...sizes)));
}

function charactersIn(width: number): number {
  return Math.floor(width / CHARACTER);
}

export function widthOf(text: string): number {
  return text.length * CHARACTER;
}
