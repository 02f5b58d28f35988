/* Colour where the output can show it: `styleText` looks at the terminal and at NO_COLOR. */
import { styleText } from 'node:util';

type Format = Extract<Parameters<typeof styleText>[0], string>;
export type Style = Format | readonly Format[];

/** One format at a time: given several at once, Node 20 does not look at the terminal. */
export function paint(style: Style, text: string): string {
  const formats = typeof style === 'string' ? [style] : style;
  return formats.reduce((painted, format) => styleText(format, painted, { stream: process.stdout }), text);
}

export const good = (text: string): string => paint(['green', 'bold'], text);
export const bad = (text: string): string => paint(['red', 'bold'], text);
export const dim = (text: string): string => paint('dim', text);

/** 1234567.8 as "1,234,568". */
export function number(value: number, digits = 0): string {
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

export function ms(value: number): string {
  return `${number(value, value < 10 ? 1 : 0)} ms`;
}
