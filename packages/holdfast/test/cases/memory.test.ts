/** CASES.md 36 and 40: a server without memory, and one that throws locks away. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RedisProcess, startServer } from '../../../testkit/src/index.ts';
import { ioredis, nodeRedis } from './support/instances.ts';
import { freshName, isFree, isHeldBy, queued, recorded, took } from './support/moments.ts';

let server: RedisProcess;
beforeAll(async () => {
  server = await startServer();
});
beforeEach(async () => {
  await server.pipeline([
    ['FLUSHALL'],
    ['CONFIG', 'SET', 'maxmemory', 0],
    ['CONFIG', 'SET', 'maxmemory-policy', 'noeviction'],
  ]);
});
afterAll(async () => {
  await server.shutdown();
});

describe('a server that is out of memory', () => {
  test('refuses new leases with a typed error, at once; renewal and release still work [36]', async () => {
    await using instance = ioredis(server.port);
    const name = freshName();
    const lease = await instance.holdfast.lock(name).acquire();
    await server.command('CONFIG', 'SET', 'maxmemory', 1);
    for (const call of ['acquire', 'tryAcquire'] as const) {
      const fresh = freshName();
      const { ms, result } = await took(() => instance.holdfast.lock(fresh)[call]());
      expect(result).toMatchObject({ reason: { name: 'ServerRefusedError', reply: 'OOM', lockName: fresh } });
      expect(ms).toBeLessThan(300);
      expect(await isFree(server, fresh)).toBe(true);
    }
    expect(await lease.renew(20_000)).toBe('renewed');
    expect(Number(await server.command('PTTL', name))).toBeGreaterThan(15_000);
    expect(await lease.release()).toBe('released');
    expect(await isFree(server, name)).toBe(true);
  });

  test('still hands a lock to the next waiter [36]', async () => {
    await using holder = ioredis(server.port);
    await using waiter = nodeRedis(server.port);
    const name = freshName();
    const lease = await holder.holdfast.lock(name).acquire();
    const waiting = waiter.holdfast.lock(name).acquire();
    await queued(server, name, 1);
    await server.command('CONFIG', 'SET', 'maxmemory', 1);
    expect(await lease.release()).toBe('released');
    const next = await waiting;
    expect(await isHeldBy(server, next)).toBe(true);
    expect(await next.renew()).toBe('renewed');
    expect(await next.release()).toBe('released');
  });
});

describe('the eviction policy', () => {
  test.each([
    { policy: 'allkeys-lru', warned: true },
    { policy: 'volatile-ttl', warned: true },
    { policy: 'noeviction', warned: false },
  ])('$policy is warned of at the first use, once: $warned [40]', async ({ policy, warned }) => {
    await server.command('CONFIG', 'SET', 'maxmemory-policy', policy);
    await using instance = ioredis(server.port);
    const warnings = recorded(instance.holdfast, 'warning');
    for (let i = 0; i < 3; i++) {
      const lease = await instance.holdfast.lock(freshName()).acquire();
      await lease.release();
    }
    await instance.raw.ping();
    expect(warnings.map(({ code }) => code)).toEqual(warned ? ['HOLDFAST_EVICTION_POLICY'] : []);
    if (warned) expect(warnings[0]?.message).toContain(policy);
  });
});
