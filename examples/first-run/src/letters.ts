import { paint, type Style } from '@holdfast/example-common';

const LETTERS: Record<string, Style> = { A: 'cyan', B: 'yellow', C: 'magenta', D: 'blue' };

/** Each worker's letter in its own colour. */
export function letters(text: string): string {
  return text.replace(/[A-D]/g, (letter) => paint(LETTERS[letter] ?? 'bold', letter));
}
