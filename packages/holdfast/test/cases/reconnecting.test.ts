/** CASES.md 21: waiters are served after broken connections and restarts. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, type RedisProcess, startProxy, startServer } from '../../../testkit/src/index.ts';
import { ioredis, KINDS, several } from './support/instances.ts';
import { freshName, isFree, isHeldBy, pass, queued } from './support/moments.ts';

let server: RedisProcess;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await server.shutdown();
});

describe.each(KINDS)('with $name', ({ open }) => {
  test('waiters whose connections break twice within half a second are handed the lock on release [21]', async () => {
    await using holder = ioredis(server.port);
    await using waiter = open(server.port);
    const name = freshName();
    const lease = await holder.holdfast.lock(name, { ttlMs: 60_000 }).acquire();
    const lock = waiter.holdfast.lock(name);
    const order: number[] = [];
    const served = [0, 1, 2].map((i) => lock.use(() => order.push(i)));
    await queued(server, name, 3);
    for (let i = 0; i < 2; i++) {
      await server.command('CLIENT', 'KILL', 'TYPE', 'pubsub');
      await server.command('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
      await eventually(subscribed, { everyMs: 2, what: 'a subscription' });
    }
    await eventually(async () => (await lease.renew()) === 'renewed');
    const releasedAt = performance.now();
    expect(await lease.release()).toBe('released');
    await Promise.all(served);
    expect(performance.now() - releasedAt).toBeLessThan(1_000);
    expect(order).toEqual([0, 1, 2]);
  });

  test('a waiter that was passed over while its connection was down has the lock soon after it is back [21]', async () => {
    await using proxy = await startProxy(server);
    await using holder = ioredis(server.port);
    await using waiter = open(proxy.port);
    const name = freshName();
    const lease = await holder.holdfast.lock(name, { ttlMs: 60_000 }).acquire();
    const waiting = waiter.holdfast.lock(name).acquire();
    await queued(server, name, 1);
    await proxy.refuse();
    proxy.cut();
    await eventually(async () => !(await subscribed()), { everyMs: 2 });
    await lease.release();
    expect(await isFree(server, name)).toBe(true);
    await proxy.refuse(false);
    const backAt = performance.now();
    await using next = await waiting;
    expect(performance.now() - backAt).toBeLessThan(2_500);
    expect(await isHeldBy(server, next)).toBe(true);
  });

  test.each(['straight back', 'back after a while'])(
    'a release whose answer was lost with its connection, and that handed the lock on, was a release (%s)',
    async (when) => {
      await using proxy = await startProxy(server);
      await using releasing = open(proxy.port);
      await using next = ioredis(server.port);
      // The server knows the script, so one command is all that it takes.
      await releasing.holdfast.lock(freshName()).use(() => {});
      const name = freshName();
      const lease = await releasing.holdfast.lock(name, { ttlMs: 60_000 }).acquire();
      const waiting = next.holdfast.lock(name).acquire();
      await queued(server, name, 1);
      proxy.silence('down', 'drop');
      const released = lease.release();
      await using held = await waiting;
      if (when !== 'straight back') await proxy.refuse();
      proxy.heal();
      proxy.cut();
      await pass(when === 'straight back' ? 0 : 100);
      await proxy.refuse(false);
      expect(await released).toBe('released');
      expect(lease.signal.aborted).toBe(false);
      expect(await isHeldBy(server, held)).toBe(true);
    },
  );
});

const subscribed = async () => ((await server.command('PUBSUB', 'CHANNELS')) as unknown[]).length > 0;

test('after a restart of the server that lost everything, every waiter is served, one at a time [21]', async () => {
  await using own = await startServer();
  await using holder = ioredis(own.port);
  await using waiters = several(own.port, 8);
  const name = freshName();
  const lease = await holder.holdfast.lock(name, { ttlMs: 2_000 }).acquire();
  let inside = 0;
  let most = 0;
  const work = async () => {
    most = Math.max(most, ++inside);
    await pass(5);
    inside--;
  };
  const served = waiters.all.map(({ holdfast }) => holdfast.lock(name).use(work, { waitMs: 15_000 }));
  await queued(own, name, 8);
  await own.kill9();
  await own.start();
  const restartedAt = performance.now();
  await Promise.all(served);
  expect(performance.now() - restartedAt).toBeLessThan(6_000);
  expect(most).toBe(1);
  expect(await lease.release()).not.toBe('released');
  expect(await isFree(own, name)).toBe(true);
}, 20_000);
