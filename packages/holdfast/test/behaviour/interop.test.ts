/**
 * A lock of another library on the same name, by the protocol that Redis documents: SET name random NX PX, and a script
 * that deletes the key if it still has that value. Once with redis-py's own `Lock`, and once by hand, which runs everywhere.
 */
import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RedisProcess, startServer } from '../../../testkit/src/index.ts';
import { AcquireTimeoutError } from '../../src/index.ts';
import { type Instance, KINDS, open } from './support/instance.ts';
import { RedisPy } from './support/redis-py.ts';
import { callsDuring, freshName } from './support/server.ts';
import { took } from './support/time.ts';

/** What the other library can do. */
interface Foreign {
  /** `acquired` or `busy`. Without a time to live the lock stays until its release. */
  acquire(name: string, ttlMs?: number, patienceMs?: number): Promise<string>;
  /** `released`, or anything else when it was not its own any more. */
  release(name: string): Promise<string>;
  end(): Promise<unknown>;
}

let server: RedisProcess;
let here: Instance;
let there: Instance;

beforeAll(async () => {
  server = await startServer();
  here = await open(server.port, { kind: KINDS[0] });
  there = await open(server.port, { kind: KINDS[1] });
});
afterAll(async () => {
  await here?.[Symbol.asyncDispose]();
  await there?.[Symbol.asyncDispose]();
  await server?.shutdown();
});
beforeEach(async () => {
  await server.command('FLUSHALL');
});

async function redisPy(): Promise<Foreign> {
  const python = await RedisPy.start(server.port);
  return {
    acquire: (name, ttlMs = 0, patienceMs = 0) => python.acquire(name, ttlMs / 1000, patienceMs / 1000),
    release: (name) => python.release(name),
    end: () => python[Symbol.asyncDispose](),
  };
}

const COMPARE_AND_DELETE =
  "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0";

async function byHand(): Promise<Foreign> {
  const redis = new Redis({ host: '127.0.0.1', port: server.port });
  const values = new Map<string, string>();
  const tryIt = async (name: string, ttlMs: number | undefined) => {
    const value = randomBytes(16).toString('hex');
    const set =
      ttlMs === undefined
        ? await redis.set(name, value, 'NX')
        : await redis.set(name, value, 'PX', ttlMs, 'NX');
    if (set === 'OK') values.set(name, value);
    return set === 'OK';
  };
  return {
    async acquire(name, ttlMs, patienceMs = 0) {
      const until = performance.now() + patienceMs;
      for (;;) {
        if (await tryIt(name, ttlMs)) return 'acquired';
        if (performance.now() >= until) return 'busy';
      }
    },
    async release(name) {
      const deleted = await redis.eval(COMPARE_AND_DELETE, 1, name, values.get(name) ?? '');
      return deleted === 1 ? 'released' : 'not its own';
    },
    end: () => redis.quit(),
  };
}

const PEERS = [
  { peer: "redis-py's Lock", start: redisPy },
  { peer: 'the protocol by hand', start: byHand },
];

describe.each(PEERS)('with $peer', ({ start }) => {
  let foreign: Foreign;
  beforeAll(async () => {
    foreign = await start();
  });
  afterAll(async () => {
    await foreign?.end();
  });

  test('while Holdfast holds, the other is refused, and the other way round', async () => {
    const name = freshName();
    const lease = await here.holdfast.lock(name).acquire();
    expect(await foreign.acquire(name, 10_000)).toBe('busy');
    expect(await lease.release()).toBe('released');
    expect(await foreign.acquire(name, 10_000)).toBe('acquired');
    expect(await here.holdfast.lock(name).tryAcquire()).toBeUndefined();
    await expect(there.holdfast.lock(name).acquire({ waitMs: 50 })).rejects.toBeInstanceOf(
      AcquireTimeoutError,
    );
    expect(await foreign.release(name)).toBe('released');
    await using again = await there.holdfast.lock(name).tryAcquire();
    expect(again?.fencingToken).toBeGreaterThan(lease.fencingToken);
  });

  test('the two of them never are in the critical section at once', async () => {
    const name = freshName();
    let inside = 0;
    let rounds = 0;
    const visit = async () => {
      expect(++inside).toBe(1);
      await new Promise((resolve) => setTimeout(resolve, 1));
      inside--;
      rounds++;
    };
    const others = async () => {
      for (let i = 0; i < 15; i++) {
        expect(await foreign.acquire(name, 10_000, 15_000)).toBe('acquired');
        await visit();
        expect(await foreign.release(name)).toBe('released');
      }
    };
    const ours = async ({ holdfast }: Instance) => {
      for (let i = 0; i < 15; i++) {
        await holdfast.lock(name, { waitMs: 15_000 }).use(visit);
        // Hand-offs never leave the lock free; without a pause the other would have to wait for the last of us.
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    await Promise.all([others(), ours(here), ours(there)]);
    expect(rounds).toBe(45);
  });

  test("a waiter gets the lock within 300 ms after the other's release", async () => {
    const name = freshName();
    for (const { holdfast } of [here, there]) {
      expect(await foreign.acquire(name, 30_000)).toBe('acquired');
      const waiting = holdfast.lock(name).acquire();
      // Long enough for the pauses between its looks to have grown to their longest.
      await new Promise((resolve) => setTimeout(resolve, 700));
      expect(await foreign.release(name)).toBe('released');
      const { ms, value } = await took(waiting);
      expect(ms).toBeLessThan(300);
      await value.release();
    }
  });

  test("a waiter gets the lock within 300 ms after the other's expiry", async () => {
    const name = freshName();
    expect(await foreign.acquire(name, 600)).toBe('acquired');
    const { ms, value } = await took(here.holdfast.lock(name).acquire());
    expect(ms).toBeLessThan(600 + 300);
    expect(await value.release()).toBe('released');
    expect(await foreign.release(name)).not.toBe('released');
  });

  test('a lock of the other without expiry is waited for at a few looks per second, to the end of waitMs', async () => {
    const name = freshName();
    expect(await foreign.acquire(name)).toBe('acquired');
    const wait = async () => {
      const waits = [here, there].map(({ holdfast }) => took(rejected(holdfast.lock(name).acquire(soon))));
      for (const { ms, value } of await Promise.all(waits)) {
        expect(value).toBeInstanceOf(AcquireTimeoutError);
        expect(ms).toBeLessThan(1_500 + 300);
      }
    };
    const soon = { waitMs: 1_500 };
    expect(await callsDuring(server, ['evalsha', 'eval'], wait)).toBeLessThan(40);
    expect(await here.holdfast.inspect(name)).toMatchObject({ foreign: true, remainingMs: undefined });
    expect(await foreign.release(name)).toBe('released');
  });

  test("inspect calls the other's lock foreign and ours not", async () => {
    const name = freshName();
    await foreign.acquire(name, 5_000);
    const seen = await here.holdfast.inspect(name);
    expect(seen).toMatchObject({ state: 'held', foreign: true, holder: undefined, heldForMs: undefined });
    expect(seen.remainingMs).toBeLessThanOrEqual(5_000);
    await foreign.release(name);
    await using _lease = await here.holdfast.lock(name).acquire();
    expect(await there.holdfast.inspect(name)).toMatchObject({ state: 'held', foreign: false });
  });

  test('a release that comes too late leaves the lock of the other alone, both ways', async () => {
    const name = freshName();
    const lease = await here.holdfast.lock(name, { ttlMs: 100, renew: false }).acquire();
    expect(await foreign.acquire(name, 300, 3_000)).toBe('acquired');
    expect(await lease.release()).toBe('lost');
    expect(await here.holdfast.inspect(name)).toMatchObject({ state: 'held', foreign: true });
    await using next = await here.holdfast.lock(name).acquire();
    expect(await foreign.release(name)).not.toBe('released');
    expect(await next.renew()).toBe('renewed');
  });

  test("a renewal leaves the other's lock alone and tells that ours is lost", async () => {
    const name = freshName();
    const lease = await here.holdfast.lock(name).acquire();
    await server.command('DEL', name);
    expect(await foreign.acquire(name, 400)).toBe('acquired');
    expect(await lease.renew()).toBe('lost');
    expect(lease.signal.reason).toMatchObject({ reason: 'lost' });
    expect((await there.holdfast.inspect(name)).remainingMs).toBeLessThanOrEqual(400);
    expect(await lease.release()).toBe('lost');
    expect(await foreign.release(name)).toBe('released');
  });
});

function rejected(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => new Error('it did not reject'),
    (error: unknown) => error,
  );
}
