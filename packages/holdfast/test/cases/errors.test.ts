/** CASES.md 42: errors name the lock and say what to do; a busy lock is none. */
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type RedisProcess, startServer } from '../../../testkit/src/index.ts';
import { ioredis } from './support/instances.ts';
import { errorOf, freshName, recorded } from './support/moments.ts';

let server: RedisProcess;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await server.shutdown();
});

describe('errors', () => {
  test('name the lock, say what to do, and keep secrets [42]', async () => {
    await using instance = ioredis(server.port);
    const name = `order ${'"42"'} ${freshName()}`;
    const lock = instance.holdfast.lock(name, { ttlMs: 300 });
    const lease = await lock.acquire();
    const timeout = await errorOf(() => lock.acquire({ waitMs: 20 }));
    expect(timeout).toMatchObject({
      name: 'AcquireTimeoutError',
      code: 'HOLDFAST_ACQUIRE_TIMEOUT',
      lockName: name,
    });
    expect(timeout.message).toMatch(
      /^lock "order \\"42\\" .*": not acquired within \d+ ms, others hold it; wait longer \(waitMs\) or try later$/,
    );
    await server.command('DEL', name);
    expect(await lease.renew()).toBe('lost');
    expect(lease.lost).toMatchObject({ name: 'LeaseLostError', code: 'HOLDFAST_LEASE_LOST', lockName: name });
    expect(lease.lost?.message).toContain(JSON.stringify(name));
    const held = await lock.acquire();
    const secrets = [held, lease].map(({ holderId }) => holderId.slice(4, 20));
    const shown = [timeout, lease.lost, lease, held, lock, instance.holdfast, JSON.stringify([held, lock])];
    for (const secret of secrets)
      expect(shown.map((one) => inspect(one, { depth: 10, showHidden: true })).join()).not.toContain(secret);
    await held.release();
    await server.command('FLUSHALL');
  });

  test('what goes wrong inside use comes out as it was, and a lost lease as LeaseLostError [42]', async () => {
    await using instance = ioredis(server.port);
    const lock = instance.holdfast.lock(freshName(), { ttlMs: 300 });
    const own = new Error('my own');
    await expect(lock.use(() => Promise.reject(own))).rejects.toBe(own);
    const lose = async () => void (await server.command('DEL', lock.name));
    await expect(lock.use(lose)).rejects.toMatchObject({ name: 'LeaseLostError', lockName: lock.name });
    await expect(lock.use(() => lose().then(() => Promise.reject(own)))).rejects.toBe(own);
    await server.command('FLUSHALL');
  });

  test('a busy lock is neither an error nor a word on the console [42]', async () => {
    await using instance = ioredis(server.port);
    const spies = (['log', 'info', 'warn', 'error', 'debug'] as const).map((name) => vi.spyOn(console, name));
    const emitted = vi.spyOn(process, 'emitWarning');
    const warnings = recorded(instance.holdfast, 'warning');
    const lock = instance.holdfast.lock(freshName());
    await using lease = await lock.acquire();
    for (let i = 0; i < 20; i++) expect(await lock.tryAcquire()).toBeUndefined();
    await expect(lock.acquire({ waitMs: 50 })).rejects.toThrow(lease.name);
    expect(warnings).toEqual([]);
    for (const spy of [...spies, emitted]) {
      expect(spy).not.toHaveBeenCalled();
      spy.mockRestore();
    }
    await lease.release();
    await server.command('FLUSHALL');
  });
});
