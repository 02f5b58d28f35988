/** Read-write locks on a server: many readers, what is beyond the bound of one script, and what holders lose. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eventually, type RedisProcess, startServer } from '../../../testkit/src/index.ts';
import { LeaseLostError, type ReadWrite } from '../../src/index.ts';
import { inBatches } from './support/batches.ts';
import { open } from './support/instance.ts';
import { allKeys, callsDuring, freshName } from './support/server.ts';

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

const queueOf = (lock: ReadWrite, length: number) =>
  eventually(async () => (await lock.inspect()).queueLength === length, { withinMs: 20_000 });

/** Median and 99th percentile of how long `work` takes, in µs. */
async function latencyUs(work: () => Promise<unknown>, times: number): Promise<string> {
  const took: number[] = [];
  for (let i = 0; i < times; i++) {
    const from = performance.now();
    await work();
    took.push((performance.now() - from) * 1000);
  }
  took.sort((a, b) => a - b);
  return [0.5, 0.99].map((part) => took[Math.floor(times * part)]?.toFixed(0)).join(' / ');
}

const LONG = { ttlMs: 600_000, renew: false } as const;
/** What scripts do; each second's first grant looks for leases that have ended. */
const COMMANDS = ['evalsha', 'zadd', 'zrem', 'zmscore', 'zscore', 'zrange', 'zrank', 'zcard', 'pexpire'];
const OPERATIONS: Record<string, (lock: ReadWrite) => Promise<unknown>> = {
  'read and release': async (lock) => (await lock.read.acquire()).release(),
  'a write refused': (lock) => lock.write.tryAcquire(),
  'a write that waits, and gives up': (lock) => lock.write.acquire({ waitMs: 1 }).catch(() => {}),
  'an upgrade refused, and release': async (lock) => {
    const lease = await lock.upgradeable.acquire(LONG);
    await lease.upgrade({ waitMs: 0 }).catch(() => {});
    await lease.release();
  },
  'read, renew, release': async (lock) => {
    const lease = await lock.read.acquire(LONG);
    await lease.renew();
    await lease.release();
  },
};

describe('a read-write lock', { timeout: 90_000 }, () => {
  test('with 10,000 readers asks of the server what it asks with 10', async () => {
    await using one = await open(server.port);
    const seen: Record<string, { calls: number; us: string }[]> = {};
    for (const readers of [10, 10_000]) {
      const lock = one.holdfast.readWrite(freshName('many'), LONG);
      const leases = await inBatches(readers, () => lock.read.acquire());
      for (const [what, operation] of Object.entries(OPERATIONS)) {
        await operation(lock);
        let us = '';
        const calls = await callsDuring(server, COMMANDS, async () => {
          us = await latencyUs(() => operation(lock), 200);
        });
        seen[what] = [...(seen[what] ?? []), { calls, us }];
      }
      expect(await lock.inspect()).toMatchObject({ readers, queueLength: 0 });
      await inBatches(readers, async (i) => leases[i]?.release());
      expect(await lock.inspect()).toMatchObject({ state: 'free', readers: 0 });
    }
    const lines = Object.entries(seen).map(([what, [few, many]]) => `${what}: ${few?.us} → ${many?.us}`);
    console.info(`\nWith 10 → with 10,000 readers, median / 99th percentile in µs:\n${lines.join('\n')}\n`);
    for (const [what, [few, many]] of Object.entries(seen)) {
      expect(few?.calls, what).toBeGreaterThan(200);
      expect(many?.calls, what).toBeLessThan(1.2 * (few?.calls ?? 0));
    }
  });

  test('tells of each of many readers, though they are renewed while it looks', async () => {
    await using one = await open(server.port);
    const lock = one.holdfast.readWrite(freshName('pages'), { ttlMs: 60_000 });
    const leases = await inBatches(1_500, () => lock.read.acquire());
    for (let i = 0; i < 5; i++) {
      const looking = lock.inspect();
      const renewing = Promise.all(leases.slice(0, 1_000).map((lease) => lease.renew()));
      expect(await looking).toMatchObject({ readers: 1_500 });
      await renewing;
    }
    // More than a page that end at the same moment.
    const at = String((Date.now() + 50_000) * 1000);
    const same = leases.map(({ holderId }) => ['XX', at, `${holderId.split(':')[0]} r`]);
    await server.pipeline(same.map((args) => ['ZADD', lock.name, ...args]));
    expect(
      new Set((await lock.inspect()).leases.map(({ remainingMs }) => Math.floor(remainingMs / 1000))).size,
    ).toBe(1);
    await inBatches(1_500, async (i) => leases[i]?.release());
  });

  test('passes 3,000 readers that ended at once, and counts none of them', async () => {
    await using one = await open(server.port);
    const lock = one.holdfast.readWrite(freshName('ended'), LONG);
    const leases = await inBatches(3_000, () => lock.read.acquire());
    expect(await lock.write.tryAcquire()).toBeUndefined();
    expect(await lock.inspect()).toMatchObject({ readers: 3_000 });
    const past = leases.map(({ holderId }) => ['XX', '1000000000001', `${holderId.split(':')[0]} r`]);
    await server.pipeline(past.map((args) => ['ZADD', lock.name, ...args]));
    expect(await lock.inspect()).toMatchObject({ state: 'free', readers: 0, leases: [] });
    const writer = await lock.write.tryAcquire();
    expect(writer?.mode).toBe('write');
    await writer?.release();
    expect(await server.command('ZSCORE', lock.name, '#weight')).toBe('0');
  });

  test('lets 2,000 readers that wait in together, each once, after a release and after a downgrade', async () => {
    await using one = await open(server.port);
    await using two = await open(server.port, { kind: 'node-redis 6' });
    for (const ends of ['release', 'downgrade'] as const) {
      const name = freshName('batch');
      const [lock, other] = [one, two].map(({ holdfast }) =>
        holdfast.readWrite(name, { ...LONG, waitMs: 60_000 }),
      );
      const writer = await (lock as ReadWrite).write.acquire();
      const waits = Array.from({ length: 2_000 }, (_, i) =>
        ((i % 2 ? lock : other) as ReadWrite).read.acquire(),
      );
      await queueOf(lock as ReadWrite, 2_000);
      await writer[ends]();
      const leases = await Promise.all(waits);
      expect(new Set(leases.map(({ fencingToken }) => fencingToken)).size).toBe(2_000);
      const readers = ends === 'release' ? 2_000 : 2_001;
      expect(await lock?.inspect()).toMatchObject({ readers, queueLength: 0 });
      await inBatches(2_000, async (i) => leases[i]?.release());
      await writer.release();
      expect(await lock?.inspect()).toMatchObject({ state: 'free', readers: 0 });
    }
  });

  test('leaves two kinds of keys, each with an expiry that outlives every lease', async () => {
    await using one = await open(server.port);
    const lock = one.holdfast.readWrite(freshName('keys'), { ttlMs: 86_400_000 });
    const lease = await lock.upgradeable.acquire();
    const reader = await lock.read.acquire();
    const upgraded = lease.upgrade();
    await queueOf(lock, 1);
    const known = [`holdfast:{${lock.name}}:turns:`, lock.name];
    const isNote = (key: string) => key.startsWith('holdfast:waits:');
    // What the holder waits for, for whoever looks for a deadlock: of the upgradeable lease, while its upgrade waits.
    await eventually(async () => (await allKeys(server)).filter(isNote).length === 1);
    const keys = (await allKeys(server)).filter((key) => !key.startsWith('holdfast:process:'));
    expect(keys.filter((key) => !isNote(key))).toEqual(known.sort());
    for (const key of keys) expect(Number(await server.command('PTTL', key)), key).toBeGreaterThan(0);
    expect(Number(await server.command('PTTL', lock.name))).toBeGreaterThan(86_400_000);
    await server.command('PEXPIRE', lock.name, '90000000');
    await reader.renew(86_400_000);
    expect(Number(await server.command('PTTL', lock.name))).toBeGreaterThan(93_000_000);
    await reader.release();
    await upgraded;
    await lease.release();
    await eventually(async () => !(await allKeys(server)).some(isNote));
    // Nothing of a lease, its upgrade or its attempts stays.
    expect(await server.command('ZRANGE', lock.name, '0', '-1')).toEqual(['#token', '#weight']);
    expect(await server.command('EXISTS', `holdfast:{${lock.name}}:turns:`)).toBe(0);
  });

  test('tells an upgrade and a downgrade whose lease is gone, and those who wait get on', async () => {
    await using one = await open(server.port);
    await using two = await open(server.port);
    const lock = one.holdfast.readWrite(freshName('gone'), { ttlMs: 60_000 });
    const other = two.holdfast.readWrite(lock.name);
    const [writer] = [await lock.write.acquire()];
    await server.command('DEL', lock.name);
    await expect(writer.downgrade()).rejects.toBeInstanceOf(LeaseLostError);
    expect(writer.lost).toMatchObject({ reason: 'lost' });
    const lease = await lock.upgradeable.acquire();
    await server.command('DEL', lock.name);
    const reader = await other.read.acquire();
    await expect(lease.upgrade()).rejects.toBeInstanceOf(LeaseLostError);
    await eventually(() => lease.signal.aborted);
    const writing = other.write.acquire();
    await queueOf(other, 1);
    await reader.release();
    await (await writing).release();
    // Waits when it happens.
    const again = await lock.upgradeable.acquire();
    const kept = await other.read.acquire();
    const upgraded = again.upgrade({ waitMs: 30_000 });
    upgraded.catch(() => {});
    await queueOf(other, 1);
    await server.command('ZREM', lock.name, `${again.holderId.split(':')[0]} u`);
    await kept.release();
    await expect(upgraded).rejects.toBeInstanceOf(LeaseLostError);
    await eventually(() => again.signal.aborted);
  });

  test('tells a writer whose upgrade the server has forgotten', async () => {
    await using one = await open(server.port);
    const lock = one.holdfast.readWrite(freshName('forgotten'), { ttlMs: 600 });
    const lease = await lock.upgradeable.acquire();
    await lease.upgrade();
    expect(await lease.renew()).toBe('renewed');
    // As a replica that took over before the upgrade reached it.
    const [holder] = lease.holderId.split(':');
    const ends = String(await server.command('ZSCORE', lock.name, `${holder} w`));
    await server.command('ZREM', lock.name, `${holder} w`, `^${holder}`);
    await server.command('ZADD', lock.name, ends, `${holder} u`, '1048576', '#weight');
    await eventually(() => lease.signal.aborted, { withinMs: 500 });
    expect(lease.lost).toMatchObject({ reason: 'lost' });
    await lease.release();
    expect(await server.command('ZSCORE', lock.name, '#weight')).toBe('0');
  });

  test('a process that dies while its upgrade waits holds no reader up, and a writer for one ttl', async () => {
    await using one = await open(server.port);
    const dying = await open(server.port, { ttlMs: 1_000 });
    const lock = one.holdfast.readWrite(freshName('dies'));
    const reader = await lock.read.acquire();
    const lease = await dying.holdfast.readWrite(lock.name, { renew: false }).upgradeable.acquire();
    lease.upgrade({ waitMs: 30_000 }).catch(() => {});
    await queueOf(lock, 1);
    // Only the client: nothing is released, nothing listens.
    await server.command('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await dying.end();
    await eventually(async () => {
      const next = await lock.read.tryAcquire();
      await next?.release();
      return next !== undefined;
    });
    await reader.release();
    const askedAt = performance.now();
    const writer = await lock.write.acquire({ waitMs: 5_000 });
    expect(performance.now() - askedAt).toBeLessThan(1_500);
    await writer.release();
    await dying.holdfast.close();
  });

  test('a renewal that crosses an upgrade or a downgrade finds its lease', async () => {
    await using one = await open(server.port);
    const lock = one.holdfast.readWrite(freshName('crossing'));
    for (let i = 0; i < 50; i++) {
      const lease = await lock.upgradeable.acquire();
      const renewals = [lease.renew(), lease.upgrade().then(() => lease.renew()), lease.renew(9_000)];
      expect(await Promise.all(renewals)).toEqual(['renewed', 'renewed', 'renewed']);
      const [, ...later] = await Promise.all([lease.downgrade(), lease.renew(8_000), lease.renew(7_000)]);
      expect(later).toEqual(['renewed', 'renewed']);
      expect(await lease.release()).toBe('released');
    }
  });
});
