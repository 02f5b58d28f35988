/** CASES.md 12 and 13: who gives up leaves nothing behind. */
import { getEventListeners } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, type RedisProcess, startProxy, startServer } from '../../../testkit/src/index.ts';
import { ioredis, KINDS } from './support/instances.ts';
import { freshName, holderOf, isFree, isHeldBy, queued, took } from './support/moments.ts';

let server: RedisProcess;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await server.shutdown();
});

describe.each(KINDS)('with $name', ({ open }) => {
  test.each(['abort', 'timeout'])('a wait that ends by %s leaves no place in the queue [12]', async (how) => {
    await using instance = open(server.port);
    await using other = ioredis(server.port);
    const name = freshName();
    const lease = await other.holdfast.lock(name).acquire();
    const controller = new AbortController();
    const reason = new Error('changed my mind');
    const waiting = took(() =>
      instance.holdfast.lock(name).acquire(how === 'abort' ? { signal: controller.signal } : { waitMs: 100 }),
    );
    await queued(server, name, 1);
    controller.abort(reason);
    const { result } = await waiting;
    if (how === 'abort') expect(result).toEqual({ status: 'rejected', reason });
    else expect(result).toMatchObject({ reason: { name: 'AcquireTimeoutError', lockName: name } });
    await queued(server, name, 0);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    expect(await isHeldBy(server, lease)).toBe(true);
    expect(await lease.release()).toBe('released');
    expect(await isFree(server, name)).toBe(true);
  });

  test('a grant that crosses the end of a wait is passed on to the next waiter [12, 13]', async () => {
    await using proxy = await startProxy(server);
    await using quitter = open(proxy.port);
    await using other = ioredis(server.port);
    await using third = ioredis(server.port);
    const name = freshName();
    const lease = await other.holdfast.lock(name).acquire();
    const controller = new AbortController();
    const quitting = took(() => quitter.holdfast.lock(name).acquire({ signal: controller.signal }));
    await queued(server, name, 1);
    const waiting = third.holdfast.lock(name).acquire();
    await queued(server, name, 2);
    proxy.silence('down');
    await lease.release();
    expect(await holderOf(server, name)).not.toBeUndefined();
    const abortedAt = performance.now();
    controller.abort();
    const { result } = await quitting;
    expect(result).toMatchObject({ reason: controller.signal.reason });
    expect(performance.now() - abortedAt).toBeLessThan(300);
    await using next = await waiting;
    expect(performance.now() - abortedAt).toBeLessThan(500);
    proxy.heal();
    expect(await isHeldBy(server, next)).toBe(true);
    await quitter.holdfast.lock(freshName()).tryAcquire();
    expect(await next.renew()).toBe('renewed');
  });

  test('an acquire that is aborted while its command is under way is undone, and rejects at once [12, 13]', async () => {
    await using proxy = await startProxy(server);
    await using instance = open(proxy.port);
    const lock = instance.holdfast.lock(freshName());
    await lock.tryAcquire().then((lease) => lease?.release());
    for (const call of ['acquire', 'tryAcquire'] as const) {
      proxy.silence('down');
      const controller = new AbortController();
      const acquiring = took(() => lock[call]({ signal: controller.signal }));
      await eventually(() => holderOf(server, lock.name), { everyMs: 2 });
      const abortedAt = performance.now();
      controller.abort();
      expect((await acquiring).result).toMatchObject({ reason: controller.signal.reason });
      expect(performance.now() - abortedAt).toBeLessThan(300);
      proxy.heal();
      await eventually(() => isFree(server, lock.name), { withinMs: 1_000 });
    }
  });

  test('an acquire whose reply is lost with its connection leaves nothing behind when it fails [12]', async () => {
    await using proxy = await startProxy(server);
    await using instance = open(proxy.port, { commandTimeoutMs: 300 });
    const lock = instance.holdfast.lock(freshName(), { ttlMs: 60_000 });
    await lock.tryAcquire().then((lease) => lease?.release());
    proxy.silence('down', 'drop');
    const acquiring = took(() => lock.tryAcquire());
    await eventually(() => holderOf(server, lock.name), { everyMs: 2 });
    proxy.silence('both', 'drop');
    expect((await acquiring).result).toMatchObject({ reason: { name: 'ConnectionError' } });
    expect(await holderOf(server, lock.name)).not.toBeUndefined();
    proxy.cut();
    proxy.heal();
    await eventually(() => isFree(server, lock.name), { withinMs: 2_000 });
  });

  test('a cancelled wait does not cancel the hold, nor its release [13]', async () => {
    await using instance = open(server.port);
    const lock = instance.holdfast.lock(freshName());
    const controller = new AbortController();
    await lock.use(
      async (lease) => {
        controller.abort();
        expect(lease.signal.aborted).toBe(false);
        expect(await lease.renew()).toBe('renewed');
      },
      { signal: controller.signal },
    );
    expect(await isFree(server, lock.name)).toBe(true);
    await expect(lock.acquire({ signal: controller.signal })).rejects.toBe(controller.signal.reason);
    expect(await isFree(server, lock.name)).toBe(true);
  });
});
