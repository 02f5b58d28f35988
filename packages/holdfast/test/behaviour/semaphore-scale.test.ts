/** Semaphores with many permits, leases and waiters: the bounds of each script hold, and what is beyond them is still done. */
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eventually, type RedisProcess, startServer } from '../../../testkit/src/index.ts';
import { fromIoredis, type SemaphoreLease } from '../../src/index.ts';
import { RedisStore } from '../../src/store/redis-store.ts';
import { inBatches } from './support/batches.ts';
import { open } from './support/instance.ts';
import { allKeys, callsDuring, freshName } from './support/server.ts';

let server: RedisProcess;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await server.shutdown();
});
beforeEach(async () => {
  await server.command('FLUSHALL');
});

describe('a semaphore', { timeout: 60_000 }, () => {
  test('gives a million permits to one lease, and 4,000 or 1,000 slots', async () => {
    await using one = await open(server.port);
    const wide = one.holdfast.semaphore(freshName('wide'), { limit: 1_000_000 });
    const [most, one_] = [await wide.acquire(999_999), await wide.acquire()];
    expect(await wide.tryAcquire()).toBeUndefined();
    await Promise.all([most.release(), one_.release()]);
    expect(await wide.inspect()).toMatchObject({ held: 0, free: 1_000_000 });
    const shards = one.holdfast.semaphore(freshName('shards'), { limit: 4_000, slots: true });
    const leases = await Promise.all(Array.from({ length: 4 }, () => shards.acquire({ permits: 1_000 })));
    const slots = leases.flatMap((lease) => lease.slots.map(({ slot }) => slot));
    expect(new Set(slots)).toEqual(new Set(Array.from({ length: 4_000 }, (_, i) => i)));
    await expect(shards.acquire(1_001)).rejects.toBeInstanceOf(RangeError);
    const waiting = shards.acquire(1_000);
    await eventually(async () => (await shards.inspect()).queueLength === 1);
    await leases[2]?.release();
    const next = await waiting;
    expect(next.slots).toHaveLength(1_000);
    expect(next.slots[0]?.slot).toBe(leases[2]?.slots[0]?.slot);
  });

  test('passes 3,000 leases that ended at once in one acquire, and counts none of them', async () => {
    await using one = await open(server.port);
    const seats = one.holdfast.semaphore(freshName('ended'), { limit: 3_000, ttlMs: 60_000, renew: false });
    const leases = await inBatches(3_000, () => seats.acquire());
    expect(await seats.tryAcquire()).toBeUndefined();
    const seen = await seats.inspect();
    expect(seen.held).toBe(3_000);
    expect(new Set(seen.leases.map(({ fencingToken }) => fencingToken)).size).toBe(3_000);
    const past = leases.map(({ holderId }) => ['XX', '1000000000001', `${holderId.split(':')[0]} 1`]);
    await server.pipeline(past.map((args) => ['ZADD', seats.name, ...args]));
    expect(await seats.inspect()).toMatchObject({ held: 0, free: 3_000, leases: [] });
    const all = await seats.tryAcquire(3_000);
    expect(all?.permits).toBe(3_000);
    await all?.release();
    expect(await seats.inspect()).toMatchObject({ held: 0, free: 3_000 });
  });

  test('counts the lease once of somebody who asks again after it ended, behind more ended ones than one call drops', async () => {
    const client = new Redis(server.port);
    const options = {
      clock: { now: () => performance.now() },
      prefix: '',
      clientId: 'c',
      minReplicas: 0,
      commandTimeoutMs: 3_000,
    };
    const store = new RedisStore({ client: fromIoredis(client), ...options });
    const seats = store.semaphore('again', { limit: 1_000, slots: false, limitDiffers: () => {} });
    const limits = () => ({ deadlineAt: performance.now() + 5_000 });
    const take = (holderId: string) =>
      seats.permits(1).acquire({ holderId, ttlMs: 60_000 }, limits(), () => {});
    const holders = Array.from({ length: 600 }, (_, i) => `hf1-${i}.c`);
    await Promise.all(holders.map(take));
    await client.zadd(
      'again',
      'XX',
      ...holders.flatMap((holder, i) => [1_000_000_000_001 + i, `${holder} 1`]),
    );
    const last = holders.at(-1) as string;
    expect(await take(last)).toMatchObject({ status: 'granted' });
    expect(await seats.permits(1).release(last, limits())).toBe('released');
    const all = seats.permits(1_000).acquire({ holderId: 'hf1-all.c', ttlMs: 1 }, limits(), () => {});
    expect(await all).toMatchObject({ status: 'granted' });
    client.disconnect();
  });

  test('serves 2,000 waiters of one raised limit, and each once', async () => {
    await using one = await open(server.port);
    await using two = await open(server.port, { kind: 'node-redis 6' });
    const seats = one.holdfast.semaphore(freshName('many'), { limit: 1, waitMs: 60_000 });
    const held = await seats.acquire();
    const waits = Array.from({ length: 2_000 }, (_, i) =>
      (i % 2 ? one : two).holdfast.semaphore(seats.name, { waitMs: 60_000 }).acquire(),
    );
    await eventually(async () => (await seats.inspect()).queueLength === 2_000, { withinMs: 20_000 });
    await seats.setLimit(2_001);
    const leases = await Promise.all(waits);
    expect(new Set(leases.map(({ fencingToken }) => fencingToken)).size).toBe(2_000);
    expect(await seats.inspect()).toMatchObject({ held: 2_001, free: 0, queueLength: 0 });
    await inBatches(2_000, (i) => (leases[i] as SemaphoreLease).release());
    await held.release();
    expect(await seats.inspect()).toMatchObject({ held: 0, free: 2_001 });
  });

  test('does not walk over its leases: as many commands with 5,000 held as with 5', async () => {
    await using one = await open(server.port);
    const counts: number[] = [];
    for (const held of [5, 5_000]) {
      const seats = one.holdfast.semaphore(freshName('walk'), {
        limit: 10_000,
        ttlMs: 600_000,
        renew: false,
      });
      await inBatches(held, () => seats.acquire());
      const pairs = async () => {
        for (let i = 0; i < 20; i++) await (await seats.tryAcquire())?.release();
      };
      counts.push(
        await callsDuring(server, ['zadd', 'zrem', 'zmscore', 'zrange', 'zscore', 'evalsha'], pairs),
      );
    }
    expect(counts[1]).toBeLessThanOrEqual((counts[0] ?? 0) + 4);
  });

  test('leaves two kinds of keys, each with an expiry that outlives every lease', async () => {
    await using one = await open(server.port);
    const seats = one.holdfast.semaphore(freshName('keys'), { limit: 1, ttlMs: 86_400_000 });
    const held = await seats.acquire();
    const waiting = seats.acquire({ waitMs: 200 }).catch(() => {});
    await eventually(async () => (await seats.inspect()).queueLength === 1);
    const known = [`holdfast:{${seats.name}}:waiters:`, seats.name];
    const keys = (await allKeys(server)).filter((key) => !key.startsWith('holdfast:process:'));
    expect(keys).toEqual(known.sort());
    for (const key of keys) expect(Number(await server.command('PTTL', key)), key).toBeGreaterThan(0);
    expect(Number(await server.command('PTTL', seats.name))).toBeGreaterThan(86_400_000);
    await server.command('PEXPIRE', seats.name, 90_000_000);
    await held.renew(86_400_000);
    expect(Number(await server.command('PTTL', seats.name))).toBeGreaterThan(93_000_000);
    await waiting;
    await held.release();
    await seats.setLimit(2);
    expect(Number(await server.command('PTTL', seats.name))).toBeGreaterThan(2_500_000_000);
    await (await seats.acquire()).release();
    expect(Number(await server.command('PTTL', seats.name))).toBeGreaterThan(2_500_000_000);
  });
});
