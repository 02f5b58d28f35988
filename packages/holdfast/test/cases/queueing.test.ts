/** CASES.md 18 to 20: the queue outlives neither its waiters nor their patience. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, type RedisProcess, startProxy, startServer } from '../../../testkit/src/index.ts';
import { crowd } from './support/crowd.ts';
import { ioredis, several } from './support/instances.ts';
import { freshName, isHeldBy, queued, queueKey } from './support/moments.ts';

let server: RedisProcess;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await server.shutdown();
});

describe('a process that dies in the queue', () => {
  test('is passed over at once, and leaves no queue behind [18, 20]', async () => {
    await using holder = ioredis(server.port);
    await using live = ioredis(server.port);
    const name = freshName();
    const lease = await holder.holdfast.lock(name, { ttlMs: 30_000 }).acquire();
    await using dead = crowd(server.port, name, { count: 3 });
    await queued(server, name, 3);
    const waiting = live.holdfast.lock(name).acquire();
    await queued(server, name, 4);
    await dead.kill9();
    const releasedAt = performance.now();
    await lease.release();
    await using next = await waiting;
    expect(performance.now() - releasedAt).toBeLessThan(500);
    expect(await isHeldBy(server, next)).toBe(true);
    expect(await server.command('EXISTS', queueKey(name))).toBe(0);
  });

  test('costs its claim, not its ttl, when its machine stops without a word [18]', async () => {
    await using holder = ioredis(server.port);
    await using live = ioredis(server.port);
    const name = freshName();
    const lease = await holder.holdfast.lock(name, { ttlMs: 1_000 }).acquire();
    await using frozen = crowd(server.port, name, { ttlMs: 600_000 });
    await queued(server, name, 1);
    const waiting = live.holdfast.lock(name).acquire();
    await queued(server, name, 2);
    frozen.stop();
    const releasedAt = performance.now();
    await lease.release();
    await using next = await waiting;
    expect(performance.now() - releasedAt).toBeLessThan(4_500);
    expect(await isHeldBy(server, next)).toBe(true);
  }, 10_000);

  test('and the holder with it: whoever comes next has the lock when the lease ends [18, 20]', async () => {
    await using live = ioredis(server.port);
    const name = freshName();
    await using holder = crowd(server.port, name, { ttlMs: 1_000 });
    await holder.waitFor((message) => message === 'holds');
    await using dead = crowd(server.port, name, { count: 5 });
    await queued(server, name, 5);
    await Promise.all([holder.kill9(), dead.kill9()]);
    const diedAt = performance.now();
    await using lease = await live.holdfast.lock(name).acquire();
    expect(performance.now() - diedAt).toBeLessThan(1_500);
    expect(await isHeldBy(server, lease)).toBe(true);
    expect(await server.command('EXISTS', queueKey(name))).toBe(0);
  });

  test('alone: every key it leaves expires by itself [20]', async () => {
    const name = freshName();
    await using holder = crowd(server.port, name, { ttlMs: 500 });
    await holder.waitFor((message) => message === 'holds');
    await using dead = crowd(server.port, name, { count: 2 });
    await queued(server, name, 2);
    await Promise.all([holder.kill9(), dead.kill9()]);
    expect(Number(await server.command('PTTL', queueKey(name)))).toBeLessThanOrEqual(300_000);
    const keys = (await server.command('KEYS', '*')) as unknown[];
    expect(keys.length).toBeGreaterThan(2);
    for (const key of keys.map(String)) expect(await server.command('PTTL', key), key).toBeGreaterThan(0);
  });
});

describe('a long wait', () => {
  test('keeps its queue alive, and its place when the queue was lost [19]', async () => {
    await using proxy = await startProxy(server);
    await using holder = ioredis(server.port);
    await using slow = ioredis(proxy.port);
    await using others = several(server.port, 3);
    const name = freshName();
    const lease = await holder.holdfast.lock(name, { ttlMs: 500 }).acquire();
    const order: number[] = [];
    const served: Promise<unknown>[] = [];
    for (const [i, { holdfast }] of [slow, ...others.all].entries()) {
      served.push(holdfast.lock(name).use(() => order.push(i)));
      await queued(server, name, i + 1);
    }
    await server.command('PEXPIRE', queueKey(name), 8_000);
    await eventually(async () => Number(await server.command('PTTL', queueKey(name))) > 10_000, {
      what: 'the waiting extends the life of the queue',
      withinMs: 4_000,
    });
    // The first one comes back last, and is the first one still.
    proxy.delay({ upMs: 300 });
    await server.command('DEL', queueKey(name));
    await queued(server, name, 3);
    await queued(server, name, 4);
    proxy.delay({});
    await lease.release();
    await Promise.all(served);
    expect(order).toEqual([0, 1, 2, 3]);
  });
});
