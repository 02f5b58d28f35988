import { createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { aborted, eventually, freePort } from '../src/wait.ts';

describe('eventually', () => {
  test('gives the first truthy value', async () => {
    let looks = 0;
    expect(await eventually(() => ++looks >= 3 && `look ${looks}`)).toBe('look 3');
  });

  test('says what it saw last, as a value or as an error', async () => {
    await expect(eventually(() => 0, { withinMs: 30, what: 'more than nothing' })).rejects.toThrow(
      'more than nothing did not come true within 30 ms; last, it gave: 0',
    );
    const cause = new Error('not there');
    const fails = eventually(() => Promise.reject(cause), { withinMs: 30 });
    await expect(fails).rejects.toMatchObject({ cause });
  });
});

test('free ports can be listened on and are all different', async () => {
  const ports = await Promise.all(Array.from({ length: 20 }, freePort));
  expect(new Set(ports).size).toBe(20);
  const server = createServer().listen(ports[0], '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  server.close();
});

test('an abort is seen when it comes, and when it came before', async () => {
  const early = AbortSignal.abort();
  await aborted(early);
  const controller = new AbortController();
  const seen = aborted(controller.signal);
  controller.abort();
  await seen;
});
