/** How calls end, and when. */
import { inspect } from 'node:util';
import { expect } from 'vitest';

export async function took<T>(work: Promise<T>): Promise<{ readonly value: T; readonly ms: number }> {
  const from = performance.now();
  const value = await work;
  return { value, ms: performance.now() - from };
}

/** What it rejects with, and after how long. */
export async function failureOf(
  work: Promise<unknown>,
): Promise<{ readonly error: Error; readonly ms: number }> {
  const { value, ms } = await took(
    work.then(
      (value) => ({ value }),
      (error: Error) => ({ error }),
    ),
  );
  if (!('error' in value)) throw new Error(`it did not fail, but gave ${inspect(value.value)}`);
  return { error: value.error, ms };
}

/** Neither a holderId nor a password, however deep one looks. */
export function expectNoSecrets(shown: unknown, ...secrets: readonly string[]): void {
  const text = inspect(shown, { depth: 12, showHidden: true });
  expect(text).not.toMatch(/hf1-/);
  for (const secret of secrets) expect(text).not.toContain(secret);
}
