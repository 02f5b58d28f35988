/** Charts of bars as SVG: data in, a string out. */
import { type Markup, markup } from './markup.ts';

export interface Chart {
  readonly title: string;
  readonly unit: string;
  readonly groups: readonly { readonly label: string; readonly bars: readonly Bar[] }[];
}

interface Bar {
  readonly label: string;
  readonly value: number;
}

/** As narrow as a phone, so that it needs no smaller letters there. */
const WIDTH = 292;
const TITLE = 26;
const GROUP_HEAD = 24;
const BAR_PITCH = 34;
const BAR_HEIGHT = 12;
/** Room for the figure behind the longest bar. */
const FIGURE = 80;
/** A bar that can be seen, however small its value. */
const LEAST = 2;
/** So many colours has the style. */
const COLOURS = 6;

export function barChart({ title, unit, groups }: Chart): Markup {
  const most = Math.max(...groups.flatMap(({ bars }) => bars.map(({ value }) => value)), Number.MIN_VALUE);
  const drawn: Markup[] = [];
  let y = TITLE;
  for (const { label, bars } of groups) {
    drawn.push(markup`<text class="group" x="0" y="${y + 16}">${label}</text>`);
    y += GROUP_HEAD;
    for (const [i, bar] of bars.entries()) {
      drawn.push(barAt(y, i % COLOURS, bar, most, unit));
      y += BAR_PITCH;
    }
  }
  return markup`<svg class="chart" role="img" width="${WIDTH}" height="${y}" viewBox="0 0 ${WIDTH} ${y}"><title>${title}, in ${unit}</title>
<text class="title" x="0" y="14">${title}</text>
${drawn}</svg>`;
}

function barAt(y: number, colour: number, { label, value }: Bar, most: number, unit: string): Markup {
  const width = Math.max(LEAST, Math.round(((WIDTH - FIGURE) * value) / most));
  return markup`<text class="label" x="0" y="${y + 11}">${label}</text>
<rect class="bar b${colour}" x="0" y="${y + 16}" width="${width}" height="${BAR_HEIGHT}" rx="2"/>
<text class="figure" x="${width + 6}" y="${y + 26}">${figure(value)} ${unit}</text>
`;
}

/** Three digits say what can be seen. */
function figure(value: number): string {
  const rounded = value >= 100 ? Math.round(value) : Number(value.toPrecision(3));
  return rounded.toLocaleString('en-US', { maximumFractionDigits: 3 });
}
