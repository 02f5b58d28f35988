/** CASES.md, "Owners". */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, type RedisProcess, startProxy, startServer } from '../../../testkit/src/index.ts';
import { ioredis, KINDS } from './support/instances.ts';
import { abortedAt, freshName, holderOf, isFree, isHeldBy } from './support/moments.ts';

let server: RedisProcess;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await server.shutdown();
});

describe('a release that comes too late', () => {
  test("leaves the next holder's lock alone, and says so each time [14]", async () => {
    await using late = ioredis(server.port);
    await using next = ioredis(server.port);
    const name = freshName();
    const expired = await late.holdfast.lock(name, { ttlMs: 100, renew: false }).acquire();
    await using lease = await next.holdfast.lock(name).acquire();
    expect(await Promise.all([expired.release(), expired.release()])).toEqual(['lost', 'lost']);
    expect(await expired.release()).toBe('lost');
    expect(await expired.renew()).toBe('lost');
    expect(await isHeldBy(server, lease)).toBe(true);
    expect(await lease.renew()).toBe('renewed');
  });

  test('says that the lease has expired when nobody took it, each time [14]', async () => {
    await using late = ioredis(server.port);
    const name = freshName();
    const expired = await late.holdfast.lock(name, { ttlMs: 100, renew: false }).acquire();
    await abortedAt(expired.signal);
    await eventually(() => isFree(server, name));
    expect(await expired.release()).toBe('expired');
    expect(await expired.release()).toBe('expired');
  });

  test('says that the lease was lost when it was taken by force, and leaves the thief alone [14]', async () => {
    await using robbed = ioredis(server.port);
    const name = freshName();
    const lease = await robbed.holdfast.lock(name).acquire();
    await server.command('SET', name, 'a thief');
    expect(await lease.release()).toBe('lost');
    expect(lease.lost).toMatchObject({ name: 'LeaseLostError', reason: 'lost' });
    expect(await holderOf(server, name)).toBe('a thief');
  });

  test('does not end the next lease of the same lock object [14]', async () => {
    await using instance = ioredis(server.port);
    const lock = instance.holdfast.lock(freshName(), { ttlMs: 100, renew: false });
    const first = await lock.acquire();
    await using second = await lock.acquire({ ttlMs: 5_000 });
    expect(await first.release()).toBe('lost');
    expect(await isHeldBy(server, second)).toBe(true);
  });
});

describe.each(KINDS)('with $name', ({ open }) => {
  test('an acquire that is sent again after a lost reply recognises itself [16]', async () => {
    await using proxy = await startProxy(server);
    await using instance = open(proxy.port);
    const lock = instance.holdfast.lock(freshName());
    // Once before the connection has a history, once after: the ways to the server differ.
    for (const call of ['tryAcquire', 'acquire'] as const) {
      await lock.tryAcquire().then((lease) => lease?.release());
      proxy.silence('down');
      const acquiring = lock[call]();
      await eventually(() => holderOf(server, lock.name), { everyMs: 2 });
      proxy.cut();
      proxy.heal();
      await using lease = await acquiring;
      expect(lease?.remainingMs()).toBeGreaterThan(0);
      expect(lease && (await isHeldBy(server, lease))).toBe(true);
      expect(await lease?.renew()).toBe('renewed');
    }
  });

  test('a release that is sent again after a lost reply says that it released [16]', async () => {
    await using proxy = await startProxy(server);
    await using instance = open(proxy.port);
    const lease = await instance.holdfast.lock(freshName()).acquire();
    proxy.silence('down');
    const releasing = lease.release();
    await eventually(() => isFree(server, lease.name), { everyMs: 2 });
    proxy.cut();
    proxy.heal();
    expect(await releasing).toBe('released');
    expect(lease.signal.aborted).toBe(false);
  });

  test('a release that is sent again does not end the lease of whoever came between [14, 16]', async () => {
    await using proxy = await startProxy(server);
    await using instance = open(proxy.port);
    await using other = ioredis(server.port);
    const lease = await instance.holdfast.lock(freshName()).acquire();
    proxy.silence('down');
    const releasing = lease.release();
    await using next = await other.holdfast.lock(lease.name).acquire();
    proxy.cut();
    proxy.heal();
    expect(await releasing).toBe('released');
    expect(await isHeldBy(server, next)).toBe(true);
  });
});
