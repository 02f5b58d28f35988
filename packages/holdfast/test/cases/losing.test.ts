/** CASES.md 1 to 3: a holder learns in time that its lease is gone. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, type RedisProcess, startProxy, startServer } from '../../../testkit/src/index.ts';
import { ioredis, KINDS } from './support/instances.ts';
import {
  abortedAt,
  freshName,
  holderOf,
  isFree,
  isHeldBy,
  pass,
  queued,
  recorded,
} from './support/moments.ts';

let server: RedisProcess;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await server.shutdown();
});

describe.each(KINDS)('with $name', ({ open }) => {
  test.each([true, false])(
    'a holder whose server falls silent knows before anybody else gets the lock (renew: %s) [1]',
    async (renew) => {
      await using proxy = await startProxy(server);
      await using holder = open(proxy.port, { commandTimeoutMs: 300 });
      await using other = ioredis(server.port);
      const name = freshName();
      const lease = await holder.holdfast.lock(name, { ttlMs: 400, renew }).acquire();
      const aborted = abortedAt(lease.signal);
      proxy.silence('both');
      await using next = await other.holdfast.lock(name).acquire();
      const takenAt = performance.now();
      expect(await aborted).toBeLessThan(takenAt);
      expect(lease.signal.reason).toMatchObject({
        name: 'LeaseLostError',
        reason: 'expired',
        lockName: name,
      });
      expect(next.fencingToken).toBeGreaterThan(lease.fencingToken);
    },
  );

  test('a grant whose reply outlasts the lease is no lease [2]', async () => {
    await using proxy = await startProxy(server);
    await using late = open(proxy.port);
    const lock = late.holdfast.lock(freshName(), { ttlMs: 100 });
    await lock.tryAcquire().then((lease) => lease?.release());
    proxy.delay({ downMs: 300 });
    expect(await lock.tryAcquire()).toBeUndefined();
    await expect(lock.acquire({ waitMs: 900 })).rejects.toThrow(/within \d+ ms/);
    const acquiring = lock.acquire();
    await pass(350);
    proxy.delay({});
    await using lease = await acquiring;
    expect(lease.remainingMs()).toBeGreaterThan(0);
    expect(await isHeldBy(server, lease)).toBe(true);
  });

  test('a handed-over grant whose message outlasts the lease is given back and asked for again [2]', async () => {
    await using proxy = await startProxy(server);
    await using late = open(proxy.port);
    await using holder = ioredis(server.port);
    const name = freshName();
    const held = await holder.holdfast.lock(name).acquire();
    const waiting = late.holdfast.lock(name, { ttlMs: 200, renew: false }).acquire();
    await queued(server, name, 1);
    proxy.silence('down');
    await held.release();
    const granted = await holderOf(server, name);
    await pass(300);
    proxy.heal();
    await using lease = await waiting;
    const remainingMs = lease.remainingMs();
    expect(granted?.split(':')[0]).toBe(lease.holderId.split(':')[0]);
    expect(granted).not.toBe(lease.holderId);
    expect(remainingMs).toBeGreaterThan(0);
    expect(remainingMs).toBeLessThanOrEqual(Number(await server.command('PTTL', name)) + 50);
    expect(await isHeldBy(server, lease)).toBe(true);
  });

  test('a late reply to a first attempt does not take back what the second attempt got [2, 16]', async () => {
    await using proxy = await startProxy(server);
    await using late = open(proxy.port, { commandTimeoutMs: 100 });
    const lock = late.holdfast.lock(freshName(), { ttlMs: 5_000 });
    await lock.tryAcquire().then((lease) => lease?.release());
    proxy.silence('down');
    const acquiring = lock.acquire({ waitMs: 2_000 });
    await pass(250);
    proxy.heal();
    await using lease = await acquiring;
    expect(await lease.renew()).toBe('renewed');
    expect(await isHeldBy(server, lease)).toBe(true);
  });
});

describe('a key that is no longer ours', () => {
  test.each([
    { what: 'deleted', command: (name: string) => ['DEL', name] },
    { what: 'taken by force', command: (name: string) => ['SET', name, 'somebody else'] },
    { what: 'overwritten by another type', command: (name: string) => ['EVAL', REPLACE, 1, name] },
  ])('a holder whose key was $what is told at the next renewal [3]', async ({ command }) => {
    await using holder = ioredis(server.port);
    const name = freshName();
    const lease = await holder.holdfast.lock(name, { ttlMs: 900 }).acquire();
    const aborted = abortedAt(lease.signal);
    await server.command(...command(name));
    const goneAt = performance.now();
    expect((await aborted) - goneAt).toBeLessThan(300 + 150);
    expect(lease.signal.reason).toMatchObject({ name: 'LeaseLostError', reason: 'lost' });
    expect(lease.remainingMs()).toBe(0);
    await server.command('DEL', name);
  });

  test('a renewal asked for by hand tells it at once, and creates nothing [3, 7]', async () => {
    await using holder = ioredis(server.port);
    const name = freshName();
    const lease = await holder.holdfast.lock(name).acquire();
    await server.command('DEL', name);
    expect(await lease.renew()).toBe('lost');
    expect(lease.signal.aborted).toBe(true);
    expect(await isFree(server, name)).toBe(true);
    expect(await lease.release()).toBe('lost');
    expect(await isFree(server, name)).toBe(true);
  });

  test('a lock that was lost and acquired again is renewed again [8]', async () => {
    await using holder = ioredis(server.port);
    const lock = holder.holdfast.lock(freshName(), { ttlMs: 300 });
    const first = await lock.acquire();
    await server.command('DEL', first.name);
    await abortedAt(first.signal);
    await using second = await lock.acquire();
    const renewed = recorded(holder.holdfast, 'renewed');
    await eventually(() => renewed.length >= 4);
    expect(renewed.every(({ fencingToken }) => fencingToken === second.fencingToken)).toBe(true);
    expect(second.signal.aborted).toBe(false);
    expect(await isHeldBy(server, second)).toBe(true);
  });
});

const REPLACE = "redis.call('del', KEYS[1]) return redis.call('rpush', KEYS[1], 'x')";
