/** Colour where the output can show it: `styleText` looks at the terminal and at NO_COLOR. */
import { styleText } from 'node:util';

type Format = Extract<Parameters<typeof styleText>[0], string>;

export function paint(format: Format, text: string): string {
  return styleText(format, text, { stream: process.stdout });
}

export const good = (text: string): string => paint('green', text);
export const bad = (text: string): string => paint('red', text);
export const warn = (text: string): string => paint('yellow', text);
export const bold = (text: string): string => paint('bold', text);
export const dim = (text: string): string => paint('dim', text);
