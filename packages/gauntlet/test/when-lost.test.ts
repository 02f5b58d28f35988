import { expect, test } from 'vitest';
import { whenLost } from '../src/worker/when-lost.ts';

test('a loss is noted once, also when it came before anybody could listen', () => {
  const controller = new AbortController();
  let noted = 0;
  whenLost(controller.signal, () => noted++);
  expect(noted).toBe(0);
  controller.abort();
  whenLost(controller.signal, () => noted++);
  expect(noted).toBe(2);
});
