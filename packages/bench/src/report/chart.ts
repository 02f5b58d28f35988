/** Bars as SVG: data in, a string out. Our own, since the libraries that draw SVG without a browser (ECharts, Vega) are tens of megabytes for rows of bars. */
import type { Row, Table } from '../part.ts';
import { figureText } from './figures.ts';

export type Theme = 'light' | 'dark';

interface Colours {
  readonly ground: string;
  readonly text: string;
  readonly holdfast: string;
  readonly floor: string;
  readonly rival: string;
}

const COLOURS: Readonly<Record<Theme, Colours>> = {
  light: { ground: '#ffffff', text: '#1f2328', holdfast: '#0969da', floor: '#8c959f', rival: '#d1a054' },
  dark: { ground: '#0d1117', text: '#e6edf3', holdfast: '#4493f8', floor: '#6e7681', rival: '#b98c46' },
};

const WIDTH = 720;
const LABELS = 260;
/** Room for the figure behind the longest bar. */
const FIGURE = 90;
const TITLE = 30;
const PITCH = 24;
const BAR = 14;
/** A bar that can be seen, however small its value. */
const LEAST = 2;

/** `undefined` when the table has nothing to draw. */
export function chartOf({ title, columns, rows, chart }: Table, theme: Theme): string | undefined {
  const column = columns.find(({ id }) => id === chart);
  if (column === undefined) return undefined;
  const { ground, text, ...bars } = COLOURS[theme];
  const drawn = rows.filter(({ figures }) => figures[column.id] != null);
  const most = Math.max(...drawn.map(({ figures }) => figures[column.id] ?? 0), Number.MIN_VALUE);
  const height = TITLE + drawn.length * PITCH + 6;
  const lines = drawn.map((row, i) => {
    const y = TITLE + i * PITCH;
    const width = Math.max(
      LEAST,
      Math.round(((WIDTH - LABELS - FIGURE) * (row.figures[column.id] ?? 0)) / most),
    );
    return [
      `<text x="${LABELS - 8}" y="${y + 12}" text-anchor="end"${bold(row)}>${escaped(row.label)}</text>`,
      `<rect x="${LABELS}" y="${y + 1}" width="${width}" height="${BAR}" rx="2" fill="${bars[row.role]}"/>`,
      `<text x="${LABELS + width + 6}" y="${y + 12}"${bold(row)}>${figureText(row, column)}</text>`,
    ].join('');
  });
  const name = escaped(`${title}: ${column.label}`);
  return `<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="system-ui, sans-serif" font-size="12" fill="${text}"><title>${name}</title>
<rect width="${WIDTH}" height="${height}" fill="${ground}"/>
<text x="8" y="18" font-size="13" font-weight="600">${name}</text>
${lines.join('\n')}
</svg>
`;
}

const bold = ({ role }: Row): string => (role === 'holdfast' ? ' font-weight="700"' : '');

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (char) => ENTITIES[char] ?? char);
