/** Bad names and options: an error that names the argument and what to pass, at once; nothing is left behind. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type RedisProcess, startServer } from '../../../testkit/src/index.ts';
import { Holdfast } from '../../src/index.ts';
import { ioredis } from './support/instances.ts';
import { errorOf, freshName, keysLeft } from './support/moments.ts';

let server: RedisProcess;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await server.shutdown();
});

afterEach(async () => {
  expect(await keysLeft(server)).toEqual([]);
});

describe('a bad name', () => {
  test.each([
    { name: '', error: TypeError, says: /^name: expected a non-empty string/ },
    { name: 'x'.repeat(513), error: RangeError, says: /^name: expected at most 512 bytes of UTF-8, got 513/ },
    { name: 'é'.repeat(257), error: RangeError, says: /^name: expected at most 512 bytes of UTF-8, got 514/ },
    { name: 'a\ud800b', error: TypeError, says: /^name: .*lone surrogate/ },
    { name: '\udc00', error: TypeError, says: /^name: .*lone surrogate/ },
    { name: undefined, error: TypeError, says: /^name: expected a string, got undefined/ },
    { name: 42, error: TypeError, says: /^name: expected a string, got 42/ },
    { name: ['a'], error: TypeError, says: /^name: expected a string, got an array/ },
  ])('$name is refused when it is handed in', async ({ name, error, says }) => {
    await using instance = ioredis(server.port);
    for (const call of [
      () => instance.holdfast.lock(name as string),
      () => instance.holdfast.inspect(name as string),
    ]) {
      const thrown = await errorOf(call);
      expect(thrown).toBeInstanceOf(error);
      expect(thrown.message).toMatch(says);
    }
  });

  test('names up to the limit, of any characters, are locks of their own', async () => {
    await using instance = ioredis(server.port);
    const names = [
      'x'.repeat(512),
      'é'.repeat(256),
      '😀',
      ' ',
      '\0',
      'a\nb',
      '{',
      '}',
      '{}',
      '{a}b',
      'holdfast:{a}:queue:',
      '__proto__',
    ];
    const leases = await Promise.all(names.map((name) => instance.holdfast.lock(name).tryAcquire()));
    expect(leases.map((lease) => lease?.name)).toEqual(names);
    expect(await Promise.all(leases.map((lease) => lease?.release()))).toEqual(names.map(() => 'released'));
    await server.command('FLUSHALL');
  });
});

describe('a bad option', () => {
  const TTL = /^ttlMs: expected a whole number of milliseconds from 1 to 86400000, got /;
  test.each([
    { options: { ttlMs: 0 }, error: RangeError, says: TTL },
    { options: { ttlMs: -1 }, error: RangeError, says: TTL },
    { options: { ttlMs: Number.NaN }, error: RangeError, says: TTL },
    { options: { ttlMs: 2 ** 31 }, error: RangeError, says: TTL },
    { options: { ttlMs: 86_400_001 }, error: RangeError, says: TTL },
    { options: { ttlMs: Number.POSITIVE_INFINITY }, error: RangeError, says: TTL },
    { options: { ttlMs: 1.5 }, error: RangeError, says: TTL },
    {
      options: { ttlMs: '1000' },
      error: TypeError,
      says: /^ttlMs: expected a number of milliseconds, got "1000"/,
    },
    {
      options: { ttlMs: null },
      error: TypeError,
      says: /^ttlMs: expected a number of milliseconds, got null/,
    },
    { options: { waitMs: -1 }, error: RangeError, says: /^waitMs: .* from 0 to 2147483647, got -1/ },
    { options: { waitMs: 2 ** 31 }, error: RangeError, says: /^waitMs: / },
    { options: { maxHoldMs: 0 }, error: RangeError, says: /^maxHoldMs: / },
    { options: { renew: 'no' }, error: TypeError, says: /^renew: expected true or false, got "no"/ },
    {
      options: { ttl: 1000 },
      error: TypeError,
      says: /^options: "ttl" is not an option here; there are ttlMs, /,
    },
    {
      options: { timeout: 1 },
      error: TypeError,
      says: /^options: "timeout" is not an option here; .*waitMs/,
    },
    { options: 1000, error: TypeError, says: /^options: expected an object, got 1000/ },
    { options: [], error: TypeError, says: /^options: expected an object, got an array/ },
    { options: null, error: TypeError, says: /^options: expected an object/ },
  ])('$options is refused wherever it is handed in', async ({ options, error, says }) => {
    await using instance = ioredis(server.port);
    const bad = options as object;
    const lock = instance.holdfast.lock(freshName());
    const ways = [
      () => new Holdfast(instance.raw, bad),
      () => instance.holdfast.lock(freshName(), bad),
      () => lock.acquire(bad),
      () => lock.tryAcquire(bad),
      () => lock.use(() => expect.unreachable(), bad),
    ];
    for (const way of ways) {
      const thrown = await errorOf(way);
      expect(thrown).toBeInstanceOf(error);
      expect(thrown.message).toMatch(says);
      expect(thrown.code).toMatch(/^ERR_HOLDFAST_(ARGUMENT|RANGE)$/);
    }
  });

  test.each([
    {
      what: 'signal',
      call: (h: Holdfast) => h.lock('a').acquire({ signal: {} as AbortSignal }),
      says: /^signal: expected an AbortSignal, got an object/,
    },
    {
      what: 'fn',
      call: (h: Holdfast) => h.lock('a').use(undefined as never),
      says: /^use\(fn\): expected a function/,
    },
    {
      what: 'signal of a lock',
      call: (h: Holdfast) => h.lock('a', { signal: AbortSignal.abort() } as object),
      says: /"signal" is not an option here/,
    },
  ])('$what is named by the error', async ({ call, says }) => {
    await using instance = ioredis(server.port);
    expect((await errorOf(() => call(instance.holdfast))).message).toMatch(says);
  });

  test('a renewal for no time at all is refused, and the lease goes on', async () => {
    await using instance = ioredis(server.port);
    const lease = await instance.holdfast.lock(freshName()).acquire();
    expect((await errorOf(() => lease.renew(0))).message).toMatch(/^ttlMs: /);
    expect((await errorOf(() => lease.renew(Number.NaN))).message).toMatch(/^ttlMs: /);
    expect(await lease.renew(1_000)).toBe('renewed');
    expect(await lease.release()).toBe('released');
    await server.command('FLUSHALL');
  });
});
