/** Whatever was done and however it ended, nothing stays: no key, place, channel, connection, listener, timer [11, 12, 17, 24]. */
import { getEventListeners } from 'node:events';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eventually, type RedisProcess, startServer, startWorker } from '../../../testkit/src/index.ts';
import { AcquireTimeoutError, type Lease } from '../../src/index.ts';
import { type Instance, KINDS, open } from './support/instance.ts';
import { allKeys, freshName, queued } from './support/server.ts';
import { pass, took } from './support/time.ts';

const FINISHED = new URL('./workers/finished.mjs', import.meta.url);

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

const connections = async () =>
  String(await server.command('CLIENT', 'LIST'))
    .trim()
    .split('\n').length;

/** All that may remain: the last token of each name, and a card per process; both with an expiry. */
async function expectOnlyDocumentedKeys(): Promise<void> {
  const keys = await allKeys(server);
  const known = /^holdfast:(\{[^}]+\}:fence:|process:[\w-]{12}$)/;
  expect(keys.filter((key) => !known.test(key))).toEqual([]);
  for (const key of keys) expect(Number(await server.command('PTTL', key)), key).toBeGreaterThan(0);
}

/** A seeded generator (mulberry32), so that a failure can be run again. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Long enough for an answer on a busy machine: whoever waits so long in vain hears that it was taken. */
const PATIENCE_MS = 250;

/** Acquires that end in every way. Resolves when all have, and all leases are given back. */
async function everyEnd(instances: readonly Instance[], name: string, rounds: number): Promise<string[]> {
  const ends = async ({ holdfast }: Instance) => {
    const lock = holdfast.lock(name);
    const all: string[] = [];
    for (let i = 0; i < rounds; i++) {
      // Now and then it is held for longer than the others wait.
      const holdMs = i % 20 === 0 ? PATIENCE_MS + 150 : 0;
      const outcomes = await Promise.allSettled([
        lock.use(() => holdMs > 0 && new Promise((resolve) => setTimeout(resolve, holdMs))),
        lock.acquire({ waitMs: PATIENCE_MS }).then((lease) => lease.release()),
        lock.acquire({ signal: AbortSignal.timeout(2) }).then((lease) => lease.release()),
        lock.tryAcquire().then((lease) => lease?.release()),
      ]);
      all.push(...outcomes.map((one) => (one.status === 'fulfilled' ? 'fine' : String(one.reason?.name))));
    }
    return all;
  };
  return (await Promise.all(instances.map(ends))).flat();
}

describe.each(KINDS)('%s', (kind) => {
  test('after many acquires, waits, aborts and time-outs and a close only documented keys with an expiry remain', async () => {
    const before = await connections();
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => void warnings.push(warning);
    process.on('warning', onWarning);
    const instances = await Promise.all([open(server.port, { kind }), open(server.port, { kind })]);
    // A client that still connects may need longer than the shortest of the waits below.
    for (const { holdfast } of instances) await holdfast.lock(freshName()).use(() => {});
    const ends = await everyEnd(instances, freshName(), 40);
    expect(new Set(ends)).toEqual(new Set(['fine', 'AcquireTimeoutError', 'TimeoutError']));
    await Promise.all(instances.map(({ holdfast }) => holdfast.close()));
    await expectOnlyDocumentedKeys();
    await eventually(async () => (await connections()) === before + 2, {
      what: 'no connection but the clients',
    });
    expect(await server.command('PUBSUB', 'CHANNELS')).toEqual([]);
    await Promise.all(instances.map((instance) => instance.end()));
    await eventually(async () => (await connections()) === before, { what: 'no connection' });
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
  });

  test.each([
    ['close() and the end of its client', 'close'],
    ['the end of its client alone, without close()', 'end'],
  ])('a process ends by itself within a second after %s', async (_, how) => {
    const worker = startWorker(FINISHED, { args: [kind.split(' ')[0] as string, String(server.port), how] });
    await worker.waitFor((message) => message === 'finished');
    const { ms, value } = await took(worker.exited);
    expect(value).toEqual({ code: 0, signal: null });
    expect(ms).toBeLessThan(1_000);
    expect(worker.stderr).toBe('');
  });

  test('100 waits on one AbortSignal put one listener on it, and none when they are over', async () => {
    const warnings: string[] = [];
    const onWarning = (warning: Error) => void warnings.push(warning.name);
    process.on('warning', onWarning);
    await using instance = await open(server.port, { kind });
    const name = freshName();
    const lock = instance.holdfast.lock(name);
    const abort = new AbortController();
    const reason = new Error('enough');
    await using _held = await lock.acquire();
    const waits = Array.from({ length: 100 }, () => lock.acquire({ signal: abort.signal }));
    await queued(server, name, 100);
    expect(getEventListeners(abort.signal, 'abort')).toHaveLength(1);
    abort.abort(reason);
    const outcomes = await Promise.allSettled(waits);
    expect(outcomes.every((one) => one.status === 'rejected' && one.reason === reason)).toBe(true);
    expect(getEventListeners(abort.signal, 'abort')).toHaveLength(0);
    await queued(server, name, 0);
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
  });

  test('a waiter of the same process gets the lock after the release that freed it has settled, not before [24]', async () => {
    await using instance = await open(server.port, { kind });
    const name = freshName();
    const lock = instance.holdfast.lock(name);
    for (let round = 0; round < 200; round++) {
      const events: string[] = [];
      const lease = await lock.acquire();
      const waiting = lock.acquire().then((next) => {
        events.push('granted');
        return next.release();
      });
      await queued(server, name, 1);
      await (round % 2 ? lease.release() : lease[Symbol.asyncDispose]());
      events.push('released');
      await waiting;
      expect(events, `round ${round}`).toEqual(['released', 'granted']);
    }
  });

  test('a use of the same process ends before the next one begins [24]', async () => {
    await using instance = await open(server.port, { kind });
    const lock = instance.holdfast.lock(freshName());
    const events: string[] = [];
    const uses = Array.from({ length: 100 }, (_, n) =>
      lock.use(() => void events.push(`begin ${n}`)).then(() => events.push(`end ${n}`)),
    );
    await Promise.all(uses);
    const inTurn = Array.from({ length: 100 }, (_, i) => events[2 * i]?.replace('begin', 'end'));
    expect(Array.from({ length: 100 }, (_, i) => events[2 * i + 1])).toEqual(inTurn);
  });

  test('a release between the refusal and the subscription is not missed [17]', async () => {
    await using holder = await open(server.port, { kind });
    for (let round = 0; round < 40; round++) {
      // A new one, that does not listen yet; the release comes at any moment of its first wait.
      await using waiter = await open(server.port, { kind });
      const name = freshName();
      const lease = await holder.holdfast.lock(name, { ttlMs: 60_000 }).acquire();
      const waiting = waiter.holdfast.lock(name).acquire();
      await pass((round % 20) / 4);
      await lease.release();
      const { ms, value } = await took(waiting);
      expect(ms, `round ${round}`).toBeLessThan(500);
      await value.release();
    }
  });

  test('1,000 rounds of aborts at random moments leave no key, no place and no listener [12]', async () => {
    const seed = Number(process.env.HOLDFAST_SEED ?? Date.now() % 1_000_000);
    const random = seeded(seed);
    const why = `HOLDFAST_SEED=${seed}`;
    await using one = await open(server.port, { kind });
    await using two = await open(server.port, { kind });
    const name = freshName();
    const instances = [one, two];
    const aborted = async (): Promise<void> => {
      const abort = new AbortController();
      const reason = new Error('aborted at random');
      const lock = instances[random() < 0.5 ? 0 : 1]?.holdfast.lock(name);
      const wait = lock?.acquire({ signal: abort.signal, waitMs: 10_000 });
      const delay = random() * 4;
      if (random() < 0.3) queueMicrotask(() => abort.abort(reason));
      else setTimeout(() => abort.abort(reason), delay);
      const outcome = await wait?.then(
        (lease: Lease) => lease.release(),
        (error: unknown) => error,
      );
      expect(['released', reason], why).toContain(outcome);
      expect(getEventListeners(abort.signal, 'abort'), why).toHaveLength(0);
    };
    for (let round = 0; round < 1_000; round += 10) await Promise.all(Array.from({ length: 10 }, aborted));
    // What is still being taken back, is within the command's own time.
    await eventually(async () => (await server.command('EXISTS', name)) === 0, {
      what: `a free lock, ${why}`,
    });
    await expectOnlyDocumentedKeys();
    const { ms, value } = await took(one.holdfast.lock(name).acquire());
    expect(ms, why).toBeLessThan(500);
    await value.release();
  });
});

test('a wait that was refused and then ran out of time says that others hold the lock, however short it was', async () => {
  await using holder = await open(server.port);
  await using waiter = await open(server.port);
  const name = freshName();
  await using _lease = await holder.holdfast.lock(name).acquire();
  // One that listens already, and ones that begin to while others wait.
  const background = new AbortController();
  const waiting = waiter.holdfast
    .lock(name)
    .acquire({ signal: background.signal })
    .catch(() => {});
  for (let round = 0; round < 100; round++) {
    const wait = waiter.holdfast.lock(name).acquire({ waitMs: 5 + (round % 10) });
    const error = await wait.catch((e: unknown) => e);
    expect(error, String(error)).toBeInstanceOf(AcquireTimeoutError);
  }
  background.abort();
  await waiting;
});
