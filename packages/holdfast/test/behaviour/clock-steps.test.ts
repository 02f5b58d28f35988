/** The server's wall clock steps: a lease that expires by it may be gone at once, the queue outlives steps of minutes. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RedisProcess, startServer } from '../../../testkit/src/index.ts';
import { open } from './support/instance.ts';
import { freshName, queued } from './support/server.ts';

let server: RedisProcess;

beforeAll(async () => {
  server = await startServer({ clockShift: true });
});

afterAll(() => server.shutdown());

test('a waiter keeps its place when the clock steps back by a minute and forward again', async () => {
  await using holder = await open(server.port);
  await using waiter = await open(server.port, { kind: 'node-redis 6' });
  await using newcomer = await open(server.port);
  const name = freshName();
  await server.shiftClock(-60_000);
  await holder.holdfast.lock(name, { ttlMs: 2_000, renew: false }).acquire();
  const waiting = waiter.holdfast.lock(name).acquire();
  await queued(server, name, 1);
  await server.shiftClock(0);
  expect(await newcomer.holdfast.lock(name).tryAcquire()).toBeUndefined();
  await using served = await waiting;
  expect(served.remainingMs()).toBeGreaterThan(0);
});
