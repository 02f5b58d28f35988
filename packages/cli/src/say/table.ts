/** Tables as kubectl prints them: no lines, columns two spaces apart. */
import Table from 'cli-table3';

const NOTHING = '';
const CHARS = Object.fromEntries(
  [
    ...['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right'],
    ...['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid'],
  ].map((part) => [part, NOTHING]),
);

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const drawn = new Table({
    chars: { ...CHARS, middle: '  ' },
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
  });
  drawn.push([...head], ...rows.map((row) => row.map(printable)));
  const lines = drawn.toString().split('\n');
  return `${lines.map((line) => line.trimEnd()).join('\n')}\n`;
}

/** Names may be any text: control characters would reach the terminal. */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what has to go
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, (one) => {
    const escaped = JSON.stringify(one).slice(1, -1);
    return escaped === one ? `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}` : escaped;
  });
}

export function jsonDocument(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
