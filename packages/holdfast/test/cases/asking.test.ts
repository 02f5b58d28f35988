/** CASES.md 22 and 23: waiting asks seldom, but never stops asking. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RedisProcess, startServer } from '../../../testkit/src/index.ts';
import type { Lease } from '../../src/index.ts';
import { crowd } from './support/crowd.ts';
import { ioredis, several } from './support/instances.ts';
import { commandsSent, freshName, holderOf, isHeldBy, pass, queued } from './support/moments.ts';

let server: RedisProcess;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await server.shutdown();
});

describe('a remaining time that means nothing', () => {
  test.each([
    { what: 'a foreign lock without an expiry', set: ['x'], withinMs: 500 },
    { what: 'a lock of ours without an expiry', set: ['hf1-x.y:1'], withinMs: 500 },
    { what: 'a foreign lock that lasts for years', set: ['x', 'PX', '100000000000'], withinMs: 500 },
    {
      what: 'a lock of ours that lasts for years',
      set: ['hf1-x.y:1', 'PX', '100000000000'],
      withinMs: 5_500,
    },
  ])(
    '$what is neither waited for for ever nor asked for all the time [22]',
    { timeout: 10_000 },
    async ({ set, withinMs }) => {
      await using waiter = ioredis(server.port);
      const name = freshName();
      await server.command('SET', name, ...set);
      const waiting = waiter.holdfast.lock(name).acquire({ waitMs: 9_000 });
      await queued(server, name, 1);
      const before = await commandsSent(server);
      await pass(500);
      expect((await commandsSent(server)) - before).toBeLessThan(30);
      await server.command('DEL', name);
      const deletedAt = performance.now();
      await using lease = await waiting;
      expect(performance.now() - deletedAt).toBeLessThan(withinMs);
      expect(await isHeldBy(server, lease)).toBe(true);
    },
  );

  test('a lock that goes without a word, between two asks, is found in time [22]', async () => {
    await using waiter = ioredis(server.port);
    const name = freshName();
    await server.command('SET', name, 'x', 'PX', 300);
    const from = performance.now();
    await using lease = await waiter.holdfast.lock(name).acquire();
    expect(performance.now() - from).toBeGreaterThan(250);
    expect(performance.now() - from).toBeLessThan(800);
    expect(await isHeldBy(server, lease)).toBe(true);
  });
});

describe('a crowd', () => {
  test.each([1, 5])(
    'of fifty waiters in %i processes costs a handful of commands each [23]',
    async (processes) => {
      await using holder = ioredis(server.port);
      await using waiters = several(server.port, processes);
      const name = freshName();
      const lease = await holder.holdfast.lock(name, { ttlMs: 600 }).acquire();
      const before = await commandsSent(server);
      const served = Array.from({ length: 50 }, (_, i) =>
        waiters.all[i % processes]?.holdfast.lock(name).use((mine: Lease) => mine.fencingToken),
      );
      await queued(server, name, 50);
      const joined = await commandsSent(server);
      await pass(1_000);
      const waited = await commandsSent(server);
      // Three renewals per ttl, and one look of each process.
      expect(waited - joined).toBeLessThan(20 + 8 * processes);
      await lease.release();
      const tokens = await Promise.all(served);
      const all = (await commandsSent(server)) - before;
      expect(all / 50).toBeLessThan(12);
      expect(new Set(tokens).size).toBe(50);
    },
  );

  test('of five thousand dead waiters does not stop the server, nor delay the live one [18, 23]', async () => {
    await using holder = ioredis(server.port);
    await using live = ioredis(server.port);
    const name = freshName();
    const lease = await holder.holdfast.lock(name, { ttlMs: 30_000 }).acquire();
    await using dead = crowd(server.port, name, { count: 5_000 });
    await queued(server, name, 5_000);
    const waiting = live.holdfast.lock(name).acquire();
    await queued(server, name, 5_001);
    await dead.kill9();
    await server.pipeline([
      ['CONFIG', 'SET', 'slowlog-log-slower-than', 25_000],
      ['SLOWLOG', 'RESET'],
    ]);
    const releasedAt = performance.now();
    expect(await lease.release()).toBe('released');
    await using next = await waiting;
    expect(performance.now() - releasedAt).toBeLessThan(1_000);
    expect(await isHeldBy(server, next)).toBe(true);
    expect(await server.command('SLOWLOG', 'GET', 10)).toEqual([]);
  }, 20_000);

  test('of five thousand live waiters: a hand-over costs the server no more than with one [23]', async () => {
    await using holder = ioredis(server.port);
    await using waiter = ioredis(server.port);
    const name = freshName();
    const lease = await holder.holdfast.lock(name, { ttlMs: 30_000 }).acquire();
    const lock = waiter.holdfast.lock(name, { waitMs: 60_000 });
    const waits = Array.from({ length: 5_000 }, () => lock.acquire());
    const settled = Promise.allSettled(waits);
    await queued(server, name, 5_000);
    await server.pipeline([
      ['CONFIG', 'SET', 'slowlog-log-slower-than', 5_000],
      ['SLOWLOG', 'RESET'],
    ]);
    const first = await Promise.all([lease.release(), waits[0]]);
    expect(first[0]).toBe('released');
    for (let i = 0; i < 20; i++) {
      await (await waits[i])?.release();
    }
    expect(await holderOf(server, name)).toBe((await waits[20])?.holderId);
    expect(await server.command('SLOWLOG', 'GET', 10)).toEqual([]);
    await waiter.holdfast.close();
    await settled;
    await queued(server, name, 0);
  }, 20_000);
});
