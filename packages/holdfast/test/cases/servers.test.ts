/** CASES.md 34, 35, 37: forgotten scripts, other types, read-only servers. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RedisProcess, startServer } from '../../../testkit/src/index.ts';
import { ioredis, KINDS } from './support/instances.ts';
import { freshName, heard, isFree, isHeldBy, pass, queued, took } from './support/moments.ts';

let server: RedisProcess;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await server.shutdown();
});

describe.each(KINDS)('with $name', ({ open }) => {
  test('a server that forgets its scripts, at any moment, is no trouble [34]', async () => {
    await using instance = open(server.port);
    await using other = ioredis(server.port);
    const lock = instance.holdfast.lock(freshName());
    const flushed = async <T>(work: () => Promise<T>): Promise<T> => {
      await server.command('SCRIPT', 'FLUSH');
      return work();
    };
    for (let i = 0; i < 3; i++) {
      const lease = await flushed(() => lock.acquire());
      expect(await flushed(() => lease.renew())).toBe('renewed');
      expect(await flushed(() => lock.tryAcquire())).toBeUndefined();
      const waiting = flushed(() => other.holdfast.lock(lock.name).acquire());
      await queued(server, lock.name, 1);
      expect(await flushed(() => lease.release())).toBe('released');
      const next = await waiting;
      expect(await flushed(() => instance.holdfast.inspect(lock.name))).toMatchObject({ state: 'held' });
      expect(await flushed(() => next.release())).toBe('released');
    }
    await server.command('SCRIPT', 'FLUSH');
    const names = Array.from({ length: 60 }, freshName);
    const leases = await Promise.all(names.map((name) => instance.holdfast.lock(name).acquire()));
    await server.command('SCRIPT', 'FLUSH');
    expect(await Promise.all(leases.map((lease) => lease.release()))).toEqual(names.map(() => 'released'));
    expect(await Promise.all(names.map((name) => isFree(server, name)))).not.toContain(false);
  });

  test('a key of another type is a WrongTypeError at once, not busy [35]', async () => {
    await using instance = open(server.port);
    const name = freshName();
    await server.command('RPUSH', name, 'x');
    const lock = instance.holdfast.lock(name, { waitMs: 10_000 });
    const wrongType = { name: 'WrongTypeError', code: 'HOLDFAST_WRONG_TYPE', lockName: name };
    for (const call of [
      () => lock.acquire(),
      () => lock.tryAcquire(),
      () => lock.use(() => expect.unreachable()),
      () => instance.holdfast.inspect(name),
    ]) {
      // The second time knows the server's clock, and takes another way.
      await instance.holdfast.lock(freshName()).tryAcquire();
      const { ms, result } = await took<unknown>(call);
      expect(result).toMatchObject({ status: 'rejected', reason: wrongType });
      expect(ms).toBeLessThan(300);
    }
    expect(await server.command('LRANGE', name, 0, -1)).toEqual(['x']);
  });

  test('a key that becomes another type ends a wait, and a release, with a WrongTypeError [35]', async () => {
    await using instance = open(server.port);
    const name = freshName();
    const lock = instance.holdfast.lock(name, { ttlMs: 400, renew: false });
    const lease = await lock.acquire();
    const waiting = took(() => lock.acquire());
    await queued(server, name, 1);
    await server.pipeline([
      ['DEL', name],
      ['RPUSH', name, 'x'],
    ]);
    await expect(lease.release()).rejects.toMatchObject({ name: 'WrongTypeError', lockName: name });
    expect((await waiting).result).toMatchObject({ reason: { name: 'WrongTypeError', lockName: name } });
    expect(await server.command('LRANGE', name, 0, -1)).toEqual(['x']);
  });

  test('a server that is read-only for a while is waited for, then it is a typed error [37]', async () => {
    await using instance = open(server.port);
    const lock = instance.holdfast.lock(freshName());
    await lock.tryAcquire().then((lease) => lease?.release());
    try {
      await server.command('REPLICAOF', '127.0.0.1', 1);
      const { ms, result } = await took(() => lock.acquire({ waitMs: 300 }));
      const refused = { name: 'ServerRefusedError', reply: 'READONLY', lockName: lock.name };
      expect(result).toMatchObject({ status: 'rejected', reason: refused });
      expect(ms).toBeGreaterThan(195);
      expect(ms).toBeLessThan(650);
      const acquiring = lock.acquire();
      await pass(100);
      await server.command('REPLICAOF', 'NO', 'ONE');
      await using lease = await acquiring;
      expect(await isHeldBy(server, lease)).toBe(true);
    } finally {
      await server.command('REPLICAOF', 'NO', 'ONE');
    }
  });

  test('a lease whose renewal meets a read-only server for a while goes on [6, 37]', async () => {
    await using instance = open(server.port);
    await using lease = await instance.holdfast.lock(freshName(), { ttlMs: 900 }).acquire();
    try {
      await server.command('REPLICAOF', '127.0.0.1', 1);
      await pass(450);
    } finally {
      await server.command('REPLICAOF', 'NO', 'ONE');
    }
    await heard(instance.holdfast, 'renewed');
    expect(lease.signal.aborted).toBe(false);
    expect(await isHeldBy(server, lease)).toBe(true);
  });
});
