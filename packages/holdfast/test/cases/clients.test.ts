/** CASES.md 39: what is handed in as a client. */
import { inspect } from 'node:util';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { type RedisProcess, startServer } from '../../../testkit/src/index.ts';
import { Holdfast } from '../../src/index.ts';
import { ioredis, KINDS, nodeRedis } from './support/instances.ts';
import { errorOf, freshName, keysLeft, pass, took } from './support/moments.ts';

let server: RedisProcess;
let locked: RedisProcess;
beforeAll(async () => {
  [server, locked] = await Promise.all([startServer(), startServer({ password: 'right' })]);
});
afterAll(async () => {
  await Promise.all([server.shutdown(), locked.shutdown()]);
});

afterEach(async () => {
  for (const one of [server, locked]) expect(await keysLeft(one)).toEqual([]);
});

describe('what is handed in as a client', () => {
  test.each([
    { what: 'nothing', client: undefined, says: /^client: it is undefined; pass a connected client of / },
    { what: 'null', client: null, says: /^client: it is null; pass a connected client/ },
    {
      what: 'an address',
      client: 'redis://localhost',
      says: /^client: it is a string; make a client from that address first/,
    },
    { what: 'a URL', client: new URL('redis://localhost'), says: /^client: it is a URL; make a client/ },
    {
      what: 'a class',
      client: Redis,
      says: /^client: it is a class or function \(Redis\); pass .* an instance/,
    },
    { what: 'a promise', client: Promise.resolve(), says: /^client: it is a promise; await it first/ },
    { what: 'an empty object', client: {}, says: /^client: it is an object that is no known client; pass / },
    {
      what: 'options',
      client: { host: 'localhost', port: 6379 },
      says: /^client: it is an object that is no known client/,
    },
    {
      what: 'a Map',
      client: new Map(),
      says: /^client: it is an object of class Map that is no known client/,
    },
    {
      what: 'a mock',
      client: { call: vi.fn(), duplicate: vi.fn(), pipeline: vi.fn() },
      says: /^client: this looks like a mock/,
    },
    {
      what: 'the library',
      client: { Redis, default: Redis },
      says: /^client: it is the library, not a client/,
    },
    { what: 'an empty list', client: [], says: /^clients: the list is empty; pass clients .* of 3 or 5/ },
  ])('$what: the error says what to pass [39]', async ({ client, says }) => {
    const thrown = await errorOf(() => new Holdfast(client));
    expect(thrown).toBeInstanceOf(TypeError);
    expect(thrown.message).toMatch(says);
    expect(thrown.message).toMatch(/ioredis/);
    expect(thrown.code).toBe('ERR_HOLDFAST_CLIENT');
  });

  const CLOSED = [
    {
      what: 'an ioredis client after quit',
      says: /the ioredis client is closed; pass one that is open/,
      async client() {
        const raw = new Redis(server.port);
        await raw.quit();
        if (raw.status !== 'end') await new Promise((resolve) => raw.once('end', resolve));
        return raw;
      },
    },
    {
      what: 'an ioredis client after disconnect',
      says: /the ioredis client is closed; pass one that is open/,
      async client() {
        const raw = new Redis(server.port);
        await raw.ping();
        raw.disconnect();
        await new Promise((resolve) => raw.once('end', resolve));
        return raw;
      },
    },
    {
      what: 'a node-redis client after destroy',
      says: /the node-redis client is closed; pass one that is open/,
      async client() {
        const raw = createClient({ url: server.url });
        await raw.connect();
        raw.destroy();
        return raw;
      },
    },
    {
      what: 'a node-redis client that never connected',
      says: /the node-redis client is not connected; call its connect\(\) first/,
      client: async () => createClient({ url: server.url }),
    },
  ];
  test.each(CLOSED)('$what: every call says so at once [39]', async ({ client, says }) => {
    await using holdfast = new Holdfast(await client());
    const lock = holdfast.lock(freshName());
    const calls = [
      () => lock.acquire({ waitMs: 60_000 }),
      () => lock.tryAcquire(),
      () => lock.use(() => expect.unreachable()),
      () => holdfast.inspect(lock.name),
    ];
    for (const call of calls) {
      const thrown = await errorOf(call);
      expect(thrown).toMatchObject({ name: 'ClosedError', code: 'HOLDFAST_CLOSED', lockName: lock.name });
      expect(thrown.message).toMatch(says);
    }
  });

  test.each(KINDS)(
    '$name, closed under a held lease and a wait: both end, the wait at its next look [10, 39]',
    async ({ name, open }) => {
      const instance = open(server.port);
      await using other = ioredis(server.port);
      const lock = instance.holdfast.lock(freshName(), { ttlMs: 300 });
      const foreign = await other.holdfast.lock(freshName(), { ttlMs: 600 }).acquire();
      const lease = await lock.acquire();
      const waiting = took(() => instance.holdfast.lock(foreign.name).acquire({ waitMs: 60_000 }));
      await pass(50);
      const raw = instance.raw as { destroy?(): void; disconnect(): void };
      if (name === 'node-redis') raw.destroy?.();
      else raw.disconnect();
      await expect(lease.release()).rejects.toMatchObject({ name: 'ClosedError' });
      const { ms, result } = await waiting;
      expect(result).toMatchObject({ status: 'rejected', reason: { name: 'ClosedError' } });
      expect(ms).toBeLessThan(1_500);
      await foreign.release();
      await instance[Symbol.asyncDispose]();
      await server.command('FLUSHALL');
    },
    10_000,
  );

  test('a node-redis client that is connected after the lock was made works [39]', async () => {
    const raw = createClient({ url: server.url });
    await using holdfast = new Holdfast(raw);
    const lock = holdfast.lock(freshName());
    await expect(lock.acquire()).rejects.toThrow(/not connected/);
    await raw.connect();
    expect(await lock.use((lease) => lease.name)).toBe(lock.name);
    await holdfast.close();
    raw.destroy();
    await server.command('FLUSHALL');
  });
});

describe('a server that refuses the password', () => {
  test.each([
    { name: 'ioredis, wrong', open: () => ioredis(locked.port, {}, { password: 'wr0ng-secret' }) },
    { name: 'ioredis, none', open: () => ioredis(locked.port) },
    { name: 'node-redis, wrong', open: () => nodeRedis(locked.port, {}, { password: 'wr0ng-secret' }) },
    { name: 'node-redis, none', open: () => nodeRedis(locked.port) },
  ])('$name: every call says so in good time, and no secret is told', async ({ open }) => {
    await using instance = open();
    const lock = instance.holdfast.lock(freshName(), { waitMs: 20_000 });
    for (const call of ['acquire', 'tryAcquire'] as const) {
      const { ms, result } = await took(() => lock[call]());
      expect(result.status).toBe('rejected');
      const { reason } = result as PromiseRejectedResult;
      expect(ms).toBeLessThan(1_000);
      expect(reason.name).toMatch(/^(ServerRefusedError|ClosedError|ConnectionError)$/);
      expect(reason.message).toMatch(/password|connect\(\)/);
      expect(inspect(reason, { depth: 10, showHidden: true })).not.toContain('wr0ng-secret');
    }
  });
});
