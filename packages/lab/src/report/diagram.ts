/** A sequence diagram as SVG: lifelines of the actors and of the server, and what went between them. Data in, a string out. */
import { ASIDE, type Layout, LINE, layoutOf, type PlacedRow, widthOf } from './diagram-layout.ts';
import { type Markup, markup } from './markup.ts';
import type { ScenarioReport } from './report.ts';
import type { Kind, Row } from './sequence.ts';

/** Half of the box of somebody who works. */
const HALF_BOX = 6;
/** Letters of a note are narrower than those of a command. */
const SAID = 0.9;

export function diagram({ name, actors, limit }: ScenarioReport, rows: readonly Row[]): Markup {
  const names = actors.map((actor) => actor.name);
  const layout = layoutOf(names, rows);
  const { width, height } = layout;
  return markup`<svg class="sequence" role="img" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"><title>The shortest bad order of “${name}”</title>
${layout.rows.map((placed) => band(layout, placed))}
${actors.map((actor) => actorLine(layout, actor))}
${serverLine(layout)}
${names.map((actor) => workBoxes(layout, actor, limit))}
${layout.rows.map((placed, i) => markup`<g class="${placed.row.wrong ? 'here' : ''}">${numbered(placed, i)}${drawRow(layout, placed)}${keysBeside(layout, placed)}</g>\n`)}</svg>`;
}

function band({ width }: Layout, { top, bottom, row }: PlacedRow): Markup | undefined {
  if (!row.wrong) return undefined;
  return markup`<rect class="wrong" x="0" y="${top + 1}" width="${width}" height="${bottom - top - 2}" rx="4"/>\n`;
}

function numbered({ y }: PlacedRow, i: number): Markup {
  return markup`<text class="number" x="6" y="${y + 4}">${i + 1}</text>`;
}

function actorLine(layout: Layout, { name, clockAheadMs }: ScenarioReport['actors'][number]): Markup {
  const x = layout.xOf.get(name) ?? 0;
  const death = layout.rows.find(({ row }) => row.kind === 'crash' && row.actor === name);
  const end = death?.y ?? layout.height - 4;
  const clock = clockAheadMs === 0 ? '' : `${clockAheadMs > 0 ? '+' : '−'}${Math.abs(clockAheadMs)} ms`;
  return markup`<text class="actor" x="${x}" y="18">${name}</text><text class="clock" x="${x}" y="33">${clock && `clock ${clock}`}</text>
<line class="life" x1="${x}" x2="${x}" y1="${layout.lifelineTop}" y2="${end}"/>
`;
}

function serverLine({ serverX, keysX, lifelineTop, height }: Layout): Markup {
  return markup`<text class="actor" x="${serverX}" y="18">server</text><text class="clock start" x="${keysX}" y="33">keys that changed</text>
<line class="life server" x1="${serverX}" x2="${serverX}" y1="${lifelineTop}" y2="${height - 4}"/>`;
}

/** A box on the lifeline from where it began to work until it ceased to, redder from the moment of the bug on. */
function workBoxes({ rows, xOf, height: bottom }: Layout, actor: string, limit: number): Markup[] {
  const x = (xOf.get(actor) ?? 0) - HALF_BOX;
  const moment = rows.findIndex(({ row }) => row.wrong);
  return rows.flatMap(({ row, y }, i) => {
    if (!row.inside.includes(actor)) return [];
    const next = rows[i + 1];
    const first = row.enters.includes(actor);
    const kind = moment >= 0 && i >= moment && row.inside.length > limit ? 'work crowd' : 'work';
    const from = first ? y + 4 : y;
    const label = first ? markup`<text class="works" x="${x - 4}" y="${y + 16}">works</text>` : undefined;
    const height = (next?.y ?? bottom - 6) - from;
    return [
      markup`<rect class="${kind}" x="${x}" y="${from}" width="${2 * HALF_BOX}" height="${height}"/>${label}`,
    ];
  });
}

function drawRow(layout: Layout, placed: PlacedRow): Markup {
  const x = layout.xOf.get(placed.row.actor ?? '');
  if (x === undefined) return serverEvent(layout, placed);
  if (placed.row.kind === 'crash') return crash(placed, x);
  return placed.row.kind === 'note' ? note(placed, x) : exchange(layout, placed, x);
}

/** A command to the server and, under it, the reply. */
function exchange({ serverX }: Layout, { row, what, reply, y }: PlacedRow, x: number): Markup {
  const start = x + HALF_BOX + 1;
  const back = y + 8 + reply.length * LINE - 4;
  const text = textLines('command', x + ASIDE, y - 5 - (what.length - 1) * LINE, what);
  const sent = markup`<line class="arrow" x1="${start}" x2="${serverX - 7}" y1="${y}" y2="${y}"/>${arrowTip(serverX - 1, y, -1)}`;
  const answered =
    row.reply === ''
      ? ''
      : markup`<line class="arrow back" x1="${start + 6}" x2="${serverX - 1}" y1="${back}" y2="${back}"/>${arrowTip(start, back, 1)}`;
  return markup`${text}${sent}${textLines('reply', x + ASIDE, y + 13, reply)}${answered}`;
}

export function arrowTip(x: number, y: number, towards: 1 | -1): Markup {
  const base = x + towards * 8;
  return markup`<path class="tip" d="M${x} ${y}L${base} ${y - 4}V${y + 4}Z"/>`;
}

function note({ what, y }: PlacedRow, x: number): Markup {
  const width = Math.max(...what.map(widthOf)) * SAID + 16;
  const top = y - (what.length * LINE) / 2 - 3;
  return markup`<rect class="note" x="${x - HALF_BOX}" y="${top}" width="${width}" height="${what.length * LINE + 6}" rx="4"/>${textLines('said', x + 2, top + LINE - 1, what)}`;
}

function crash({ what, y }: PlacedRow, x: number): Markup {
  return markup`${cross(x, y)}${textLines('event', x + ASIDE + 2, y + 4 - ((what.length - 1) * LINE) / 2, what)}`;
}

/** What happens to nobody in particular: a mark on the server's lifeline, and what it is. */
function serverEvent({ serverX }: Layout, { row, what, y }: PlacedRow): Markup {
  const from = y + 4 - ((what.length - 1) * LINE) / 2;
  return markup`${eventMark(row.kind, serverX, y)}${textLines('event end', serverX - 14, from, what)}`;
}

export function eventMark(kind: Kind, x: number, y: number): Markup {
  if (kind === 'crash') return cross(x, y);
  if (kind === 'event') return markup`<path class="dial" d="M${x} ${y - 8}l8 8l-8 8l-8 -8Z"/>`;
  return markup`<circle class="dial" cx="${x}" cy="${y}" r="8"/><path class="hands" d="M${x} ${y - 5}V${y}L${x + 4} ${y + 2}"/>`;
}

export function cross(x: number, y: number): Markup {
  return markup`<path class="cross" d="M${x - 7} ${y - 7}l14 14M${x + 7} ${y - 7}l-14 14"/>`;
}

/** Level with the arrow where there is room above it, so that the eye finds them. */
function keysBeside({ keysX }: Layout, { keys, top, y }: PlacedRow): Markup[] {
  const from = Math.max(top + 16, y + 4 - ((keys.length - 1) * LINE) / 2);
  return keys.map(
    ({ text, kind }, i) => markup`<text class="${kind}" x="${keysX}" y="${from + i * LINE}">${text}</text>`,
  );
}

function textLines(kind: string, x: number, y: number, lines: readonly string[]): Markup[] {
  return lines.map((line, i) => markup`<text class="${kind}" x="${x}" y="${y + i * LINE}">${line}</text>`);
}
