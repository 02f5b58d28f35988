/** CASES.md 6 and 7: renewals that fail, and renewals that must not come. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, type RedisProcess, startProxy, startServer } from '../../../testkit/src/index.ts';
import { ioredis, KINDS } from './support/instances.ts';
import { freshName, heard, isFree, isHeldBy, pass, recorded } from './support/moments.ts';

let server: RedisProcess;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await server.shutdown();
});

describe.each(KINDS)('with $name', ({ open }) => {
  test('a renewal that fails with a broken connection costs nothing when the next one works [6]', async () => {
    await using proxy = await startProxy(server);
    await using holder = open(proxy.port);
    const name = freshName();
    await using lease = await holder.holdfast.lock(name, { ttlMs: 1_500 }).acquire();
    const lost = recorded(holder.holdfast, 'lost');
    const { downBytes, upBytes } = proxy.stats;
    proxy.silence('down');
    await eventually(() => proxy.stats.upBytes > upBytes, { what: 'a renewal is under way' });
    expect(proxy.stats.downBytes).toBe(downBytes);
    const renewed = heard(holder.holdfast, 'renewed');
    proxy.cut();
    proxy.heal();
    expect(await renewed).toMatchObject({ fencingToken: lease.fencingToken });
    await heard(holder.holdfast, 'renewed');
    expect(lost).toEqual([]);
    expect(lease.signal.aborted).toBe(false);
    expect(await isHeldBy(server, lease)).toBe(true);
    expect(await lease.release()).toBe('released');
  });

  test('a renewal without an answer is unknown, and tried again while the lease is valid [6]', async () => {
    await using proxy = await startProxy(server);
    await using holder = open(proxy.port, { commandTimeoutMs: 100 });
    await using lease = await holder.holdfast.lock(freshName(), { ttlMs: 1_500 }).acquire();
    const unknown = heard(holder.holdfast, 'renewalUnknown');
    proxy.silence('both');
    const told = await unknown;
    expect(told.remainingMs).toBeGreaterThan(0);
    expect(told.error).toMatchObject({ name: 'ConnectionError', lockName: lease.name });
    proxy.heal();
    await heard(holder.holdfast, 'renewed');
    expect(lease.remainingMs()).toBeGreaterThan(told.remainingMs);
    expect(lease.signal.aborted).toBe(false);
    expect(await lease.release()).toBe('released');
  });
});

describe('renewal and release', () => {
  test.each(['renew first', 'release first'])('%s: the key is gone and stays gone [7]', async (order) => {
    await using holder = ioredis(server.port);
    const name = freshName();
    const lease = await holder.holdfast.lock(name, { ttlMs: 300 }).acquire();
    const renewing = order === 'renew first' ? lease.renew() : undefined;
    const releasing = lease.release();
    expect(await (renewing ?? lease.renew())).toBe('lost');
    expect(await releasing).toBe('released');
    expect(await lease.renew()).toBe('lost');
    expect(await isFree(server, name)).toBe(true);
    expect(lease.signal.aborted).toBe(false);
  });

  test('a released lease is never renewed again [7]', async () => {
    await using holder = ioredis(server.port);
    const lease = await holder.holdfast.lock(freshName(), { ttlMs: 150 }).acquire();
    await heard(holder.holdfast, 'renewed');
    await lease.release();
    await server.command('CONFIG', 'RESETSTAT');
    await pass(200);
    expect(String(await server.command('INFO', 'commandstats'))).not.toContain('cmdstat_evalsha');
  });

  test('a renewal that is repeated after a lost connection does not come after the release [7]', async () => {
    await using proxy = await startProxy(server);
    await using holder = ioredis(proxy.port);
    const name = freshName();
    const lease = await holder.holdfast.lock(name, { ttlMs: 3_000 }).acquire();
    proxy.silence('down');
    const renewing = lease.renew();
    const releasing = lease.release();
    await eventually(() => isFree(server, name));
    proxy.cut();
    proxy.heal();
    expect(await releasing).toBe('released');
    await renewing;
    expect(await isFree(server, name)).toBe(true);
  });
});
