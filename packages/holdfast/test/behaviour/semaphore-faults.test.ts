/** Semaphores when processes die, replies get lost, and the server forgets or refuses [12, 18, 26, 27, 34, 35, 36]. */
import { getEventListeners, once } from 'node:events';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  eventually,
  type RedisProcess,
  startProxy,
  startServer,
  startWorker,
} from '../../../testkit/src/index.ts';
import type { Semaphore } from '../../src/index.ts';
import { KINDS, open } from './support/instance.ts';
import { freshName } from './support/server.ts';
import { took } from './support/time.ts';

const HOLDER = new URL('./workers/permit-holder.mjs', import.meta.url);

let server: RedisProcess;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await server.shutdown();
});
beforeEach(async () => {
  await server.pipeline([['CONFIG', 'SET', 'maxmemory', 0], ['FLUSHALL']]);
});

const queueOf = (semaphore: Semaphore, length: number) =>
  eventually(async () => (await semaphore.inspect()).queueLength === length, { what: `${length} waiters` });
const heldOf = (semaphore: Semaphore, held: number) =>
  eventually(async () => (await semaphore.inspect()).held === held, { what: `${held} permits held` });

describe.each(KINDS)('%s', (kind) => {
  const worker = (name: string, options: { ttlMs: number; permits: number; slots?: boolean }) =>
    startWorker(HOLDER, {
      args: [kind.split(' ')[0] as string, String(server.port), name, JSON.stringify(options)],
    });

  test('a permit of a killed process comes back after its ttl, with a waiter and without [27]', async () => {
    await using one = await open(server.port, { kind });
    const seats = one.holdfast.semaphore(freshName('killed'), { limit: 2 });
    await seats.setLimit(2);
    for (const waits of [true, false]) {
      await using holder = worker(seats.name, { ttlMs: 1_000, permits: 2 });
      await holder.waitFor((message) => typeof message === 'object');
      const waiting = waits ? took(seats.acquire({ waitMs: 10_000 })) : undefined;
      if (waits) await queueOf(seats, 1);
      const killedAt = performance.now();
      await holder.kill9();
      expect((await seats.inspect()).leases[0]?.holder.label).toBe('to be killed');
      if (waits) await (await waiting)?.value.release();
      else await heldOf(seats, 0);
      const ms = performance.now() - killedAt;
      expect(ms, `waits: ${waits}`).toBeGreaterThan(300);
      expect(ms, `waits: ${waits}`).toBeLessThan(2_000);
    }
    await using all = await seats.tryAcquire(2);
    expect(all?.permits).toBe(2);
  });

  test('a dead waiter for 3 permits at the head does not block the others [18]', async () => {
    await using one = await open(server.port, { kind });
    await using two = await open(server.port, { kind });
    const seats = one.holdfast.semaphore(freshName('dead-head'), { limit: 3 });
    const held = await Promise.all([seats.acquire(), seats.acquire()]);
    await using dead = worker(seats.name, { ttlMs: 60_000, permits: 3 });
    await queueOf(seats, 1);
    await dead.kill9();
    // One permit is free, and nobody releases: those behind find out by themselves.
    const { ms, value } = await took(two.holdfast.semaphore(seats.name).acquire({ waitMs: 10_000 }));
    expect(ms).toBeLessThan(2_500);
    await using dead2 = worker(seats.name, { ttlMs: 60_000, permits: 3 });
    await queueOf(seats, 1);
    const next = two.holdfast.semaphore(seats.name).acquire({ waitMs: 10_000 });
    await queueOf(seats, 2);
    await dead2.kill9();
    await held[0]?.release();
    const after = await took(next);
    expect(after.ms).toBeLessThan(500);
    await Promise.all([held[1]?.release(), value.release(), after.value.release()]);
    await heldOf(seats, 0);
  });

  test('slots of a killed process come back, with greater tokens', async () => {
    await using one = await open(server.port, { kind });
    const shards = one.holdfast.semaphore(freshName('shards'), { limit: 3, slots: true });
    await shards.setLimit(3);
    await using holder = worker(shards.name, { ttlMs: 600, permits: 2, slots: true });
    const message = await holder.waitFor<{ slots: { slot: number; fencingToken: number }[] }>(
      (one) => typeof one === 'object',
    );
    expect(message.slots.map(({ slot }) => slot)).toEqual([0, 1]);
    await holder.kill9();
    const lease = await shards.acquire({ permits: 3, waitMs: 10_000 });
    expect(lease.slots.map(({ slot }) => slot)).toEqual([0, 1, 2]);
    expect(lease.slots[0]?.fencingToken).toBeGreaterThan(message.slots[0]?.fencingToken ?? Number.NaN);
    await lease.release();
  });

  test('a try whose reply is held back is undone, whether it is aborted or runs out of time [12]', async () => {
    await using proxy = await startProxy(server);
    await using one = await open(proxy.port, { kind, commandTimeoutMs: 300 });
    await using other = await open(server.port, { kind });
    const seats = one.holdfast.semaphore(freshName('held-back'), { limit: 2, ttlMs: 60_000 });
    const seen = other.holdfast.semaphore(seats.name);
    await (await seats.acquire()).release();
    for (const ends of ['abort', 'time out'] as const) {
      proxy.silence('down');
      const abort = new AbortController();
      const asking = took(seats.tryAcquire({ permits: 2, signal: abort.signal }).catch((e: unknown) => e));
      await heldOf(seen, 2);
      if (ends === 'abort') abort.abort();
      const { ms, value } = await asking;
      expect(value).toMatchObject(ends === 'abort' ? { name: 'AbortError' } : { name: 'ConnectionError' });
      expect(ms).toBeLessThan(1_000);
      proxy.heal();
      await heldOf(seen, 0);
    }
  });

  test('an acquire whose reply is lost with its connection leaves nothing behind [12, 16]', async () => {
    await using proxy = await startProxy(server);
    await using one = await open(proxy.port, { kind, commandTimeoutMs: 300 });
    await using other = await open(server.port, { kind });
    const seats = one.holdfast.semaphore(freshName('lost'), { limit: 2, ttlMs: 60_000 });
    await (await seats.acquire()).release();
    proxy.silence('down', 'drop');
    const asking = seats.tryAcquire().catch((e: unknown) => e);
    await heldOf(other.holdfast.semaphore(seats.name), 1);
    proxy.silence('both', 'drop');
    expect(await asking).toMatchObject({ name: 'ConnectionError' });
    proxy.cut();
    proxy.heal();
    await heldOf(other.holdfast.semaphore(seats.name), 0);
  });

  test('a grant that crosses the end of a wait goes to the next waiter [12, 13]', async () => {
    await using proxy = await startProxy(server);
    await using quitter = await open(proxy.port, { kind });
    await using other = await open(server.port, { kind });
    const seats = other.holdfast.semaphore(freshName('crossing'), { limit: 2 });
    const held = await seats.acquire(2);
    const abort = new AbortController();
    const quitting = took(
      quitter.holdfast
        .semaphore(seats.name)
        .acquire({ permits: 2, signal: abort.signal })
        .catch((e: unknown) => e),
    );
    await queueOf(seats, 1);
    const next = seats.acquire();
    await queueOf(seats, 2);
    proxy.silence('down');
    await held.release();
    await heldOf(seats, 2);
    abort.abort();
    expect((await quitting).value).toBe(abort.signal.reason);
    expect(getEventListeners(abort.signal, 'abort')).toEqual([]);
    const { ms, value } = await took(next);
    expect(ms).toBeLessThan(500);
    proxy.heal();
    await value.release();
    await heldOf(seats, 0);
  });

  test('300 rounds of aborts at random moments leave no permit, no place and no listener [12]', async () => {
    await using one = await open(server.port, { kind });
    await using two = await open(server.port, { kind });
    const name = freshName('aborts');
    const seats = one.holdfast.semaphore(name, { limit: 4 });
    await seats.setLimit(4);
    const aborted = async (_: unknown, i: number): Promise<void> => {
      const abort = new AbortController();
      const reason = new Error('aborted at random');
      const semaphore = (i % 2 ? one : two).holdfast.semaphore(name);
      const wait = semaphore.acquire({ permits: 1 + (i % 4), signal: abort.signal });
      if (i % 3 === 0) queueMicrotask(() => abort.abort(reason));
      else setTimeout(() => abort.abort(reason), Math.random() * 4);
      const outcome = await wait.then(
        (lease) => lease.release(),
        (error: unknown) => error,
      );
      expect(['released', reason]).toContain(outcome);
      expect(getEventListeners(abort.signal, 'abort')).toHaveLength(0);
    };
    for (let round = 0; round < 300; round += 10) await Promise.all(Array(10).fill(0).map(aborted));
    await heldOf(seats, 0);
    await queueOf(seats, 0);
    await using all = await seats.tryAcquire(4);
    expect(all?.permits).toBe(4);
  });

  test('when the key is deleted the holder is told at the next renewal, and a waiter is served', async () => {
    await using one = await open(server.port, { kind });
    await using two = await open(server.port, { kind });
    const seats = one.holdfast.semaphore(freshName('deleted'), { limit: 1, ttlMs: 600 });
    const lease = await seats.acquire();
    const { signal } = lease;
    const waiting = two.holdfast.semaphore(seats.name, { limit: 1 }).acquire();
    await queueOf(seats, 1);
    await server.command('DEL', seats.name);
    const { ms } = await took(once(signal, 'abort'));
    expect(ms).toBeLessThan(500);
    expect(signal.reason).toMatchObject({ reason: 'lost' });
    expect(await lease.release()).toBe('lost');
    const next = await waiting;
    expect(next.fencingToken).toBeGreaterThan(lease.fencingToken);
    expect(await seats.inspect()).toMatchObject({ limit: 1, held: 1 });
    await next.release();
  });

  test('a SCRIPT FLUSH is invisible [34]', async () => {
    await using one = await open(server.port, { kind });
    const seats = one.holdfast.semaphore(freshName('flush'), { limit: 2 });
    const flush = () => server.command('SCRIPT', 'FLUSH');
    await flush();
    const lease = await seats.acquire(2);
    const waiting = seats.acquire();
    await queueOf(seats, 1);
    await flush();
    expect(await lease.renew()).toBe('renewed');
    await flush();
    expect(await lease.release()).toBe('released');
    await flush();
    expect(await seats.inspect()).toMatchObject({ held: 1 });
    await flush();
    await seats.setLimit(3);
    await (await waiting).release();
  });

  test('without memory acquire fails with a typed error; release, hand-off and renewal still work [36]', async () => {
    await using one = await open(server.port, { kind });
    const seats = one.holdfast.semaphore(freshName('oom'), { limit: 3 });
    const lease = await seats.acquire(2);
    const waiting = seats.acquire(2);
    await queueOf(seats, 1);
    await server.command('CONFIG', 'SET', 'maxmemory', 1);
    const fresh = one.holdfast.semaphore(freshName('oom'), { limit: 3 });
    for (const call of ['acquire', 'tryAcquire'] as const)
      await expect(fresh[call]()).rejects.toMatchObject({ name: 'ServerRefusedError', reply: 'OOM' });
    expect(await lease.renew(20_000)).toBe('renewed');
    expect((await seats.inspect()).leases[0]?.remainingMs).toBeGreaterThan(15_000);
    expect(await lease.release()).toBe('released');
    const next = await waiting;
    expect(await next.renew()).toBe('renewed');
    expect(await next.release()).toBe('released');
    expect(await seats.inspect()).toMatchObject({ held: 0 });
  });

  test.each([
    ['a string', 'string', ['SET', 'x']],
    ['a hash', 'hash', ['HSET', 'field', 'x']],
    ['somebody’s sorted set', 'sorted set', ['ZADD', '1', 'x']],
  ])(
    'at %s it is a WrongTypeError that says so, and changes nothing [35]',
    async (_, found, [command, ...args]) => {
      await using one = await open(server.port, { kind });
      const name = freshName('wrong');
      await server.command(command as string, name, ...args);
      const seats = one.holdfast.semaphore(name, { limit: 1 });
      const calls = [
        () => seats.acquire(),
        () => seats.tryAcquire(),
        () => seats.setLimit(2),
        () => seats.inspect(),
      ];
      const before = await server.command('DUMP', name);
      for (const call of calls) {
        const error = await call().catch((e: unknown) => e);
        expect(error).toMatchObject({ name: 'WrongTypeError', found, lockName: name });
        expect(String(error)).toContain(`a foreign ${found}`);
      }
      expect(await server.command('DUMP', name)).toEqual(before);
    },
  );
});
