import { expect } from 'vitest';

/** In the order of the grants. */
export function expectGrowing(tokens: readonly number[]): void {
  const wrong = tokens.findIndex((token, i) => i > 0 && !(token > (tokens[i - 1] ?? 0)));
  const around = tokens.slice(Math.max(0, wrong - 3), wrong + 2);
  expect(wrong, `grant ${wrong} has no greater token than the one before: ${around.join(' ')}`).toBe(-1);
  expect(tokens.every((token) => Number.isSafeInteger(token) && token > 0)).toBe(true);
}
