/** Guarded writes: commands that the server runs only while the lease is held. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  aborted,
  type Cluster,
  type RedisProcess,
  startCluster,
  startProxy,
  startServer,
} from '../../../testkit/src/index.ts';
import { GuardedWriteError, Holdfast, LeaseLostError } from '../../src/index.ts';
import { type ClientName, clients, clusters } from '../suites/clients.ts';
import { instanceOf, open } from './support/instance.ts';
import { callsDuring, freshName } from './support/server.ts';

let server: RedisProcess;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.shutdown());

describe.each(Object.keys(clients) as ClientName[])('with %s', (kind) => {
  test('runs all while it is held, in one round trip, and nothing after that', async () => {
    await using instance = await open(server.port, { kind });
    const [name, key, other] = [freshName(), freshName('key'), freshName('key')];
    const lease = await instance.holdfast.lock(name).acquire();
    const replies = await lease.guard([
      ['SET', key, 'one'],
      ['INCRBY', other, 41],
      ['INCR', other],
      { command: 'MGET', keys: [key, other] },
      ['HGET', freshName('none'), 'field'],
      { command: 'ECHO', keys: [], args: ['said'] },
    ]);
    expect(replies.map((reply) => (Array.isArray(reply) ? reply.map(String) : reply))).toMatchObject([
      expect.anything(),
      41,
      42,
      ['one', '42'],
      null,
      expect.anything(),
    ]);
    expect(await callsDuring(server, ['evalsha', 'eval'], () => lease.guard([['INCR', other]]))).toBe(1);
    await server.command('SET', name, 'hf1-another.one:99', 'PX', 10_000);
    const lost = aborted(lease.signal);
    await expect(lease.guard([['SET', key, 'two']])).rejects.toMatchObject({
      name: 'LeaseLostError',
      reason: 'lost',
    });
    await lost;
    await expect(lease.guard([['SET', key, 'three']])).rejects.toBeInstanceOf(LeaseLostError);
    expect(await server.command('GET', key)).toBe('one');
    await server.command('DEL', name);
  });

  test('one that is refused is told, the others are done', async () => {
    await using instance = await open(server.port, { kind });
    await using lease = await instance.holdfast.lock(freshName()).acquire();
    const [list, key] = [freshName('list'), freshName('key')];
    await server.command('RPUSH', list, 'x');
    const error = await lease
      .guard([
        ['INCR', list],
        ['SET', key, 'done'],
        ['NOSUCH', key],
      ])
      .catch((e: unknown) => e);
    expect(error).toBeInstanceOf(GuardedWriteError);
    expect((error as Error).message).toMatch(
      /command 1 of 3 \(INCR\) failed: .*WRONGTYPE.*whatever did not fail was applied/,
    );
    expect((error as GuardedWriteError).replies.map((reply) => reply instanceof Error)).toEqual([
      true,
      false,
      true,
    ]);
    expect(await server.command('GET', key)).toBe('done');
  });
});

test('a call whose reply is lost with the connection is done once', async () => {
  await using proxy = await startProxy(server);
  await using instance = await open(proxy.port);
  const [name, counter] = [freshName(), freshName('counter')];
  await using lease = await instance.holdfast.lock(name).acquire();
  await lease.guard([['INCR', counter]]);
  proxy.silence('down', 'drop');
  // ioredis sends it again by itself when it is connected anew.
  const lost = lease.guard([['INCR', counter]]).catch((error: unknown) => error);
  await expect.poll(() => server.command('GET', counter)).toBe('2');
  proxy.heal();
  proxy.cut();
  expect(await lost).toMatchObject({
    name: 'ConnectionError',
    message: expect.stringContaining('were applied'),
  });
  expect(await lease.guard([['INCR', counter]])).toEqual([3]);
  expect(await server.command('GET', counter)).toBe('3');
});

test('calls of one lease run one after the other, whatever carries them', async () => {
  await using instance = await open(server.port);
  await using lease = await instance.holdfast.lock(freshName()).acquire();
  const key = freshName('list');
  await Promise.all(Array.from({ length: 50 }, (_, i) => lease.guard([['RPUSH', key, i]])));
  expect(await server.command('LRANGE', key, 0, -1)).toEqual(Array.from({ length: 50 }, (_, i) => String(i)));
});

test('in the pause after its end a lease with a cooldown writes no more', async () => {
  await using instance = await open(server.port);
  const lock = instance.holdfast.lock(freshName(), { ttlMs: 300, renew: false, cooldownMs: 5_000 });
  const lease = await lock.acquire();
  const key = freshName('key');
  await lease.guard([['SET', key, 'in time']]);
  await aborted(lease.signal);
  await expect(lease.guard([['SET', key, 'late']])).rejects.toMatchObject({ reason: 'expired' });
  expect(await server.command('GET', key)).toBe('in time');
  await server.command('DEL', lock.name);
});

test('bad input, and leases that cannot', async () => {
  await using instance = await open(server.port);
  const lease = await instance.holdfast.lock(freshName()).acquire();
  await expect(lease.guard([])).rejects.toThrow(
    "guard: expected a list of commands like [['SET', key, value]], got none",
  );
  await expect(lease.guard([['PING'] as never])).rejects.toThrow('guard: expected command 1 as [name, key');
  await expect(lease.guard([['SET', 'k', {} as never]])).rejects.toThrow(TypeError);
  await lease.release();
  await expect(lease.guard([['SET', 'k', 'v']])).rejects.toThrow('this lease has been released');
  await using permit = await instance.holdfast.semaphore(freshName(), { limit: 2 }).acquire();
  await expect(permit.guard([['SET', 'k', 'v']])).rejects.toThrow(
    'guard: expected the lease of a lock on one server',
  );
  await using inMemory = await Holdfast.inMemory().lock('a').acquire();
  await expect(inMemory.guard([['SET', 'k', 'v']])).rejects.toThrow(TypeError);
});

describe('in a Cluster', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster();
  }, 60_000);
  afterAll(() => cluster.shutdown());

  test.each(Object.keys(clusters))('%s: keys of the lock’s slot only', async (kind) => {
    const made = await clusters[kind]?.(cluster.ports);
    if (made === undefined) throw new Error(`no client ${kind}`);
    await using instance = instanceOf(made);
    await using lease = await instance.holdfast.lock(`{stock}:${freshName()}`).acquire();
    expect(await lease.guard([['INCR', `{stock}:apples:${kind}`]])).toEqual([1]);
    await expect(lease.guard([['INCR', 'pears']])).rejects.toThrow(
      'guard: "pears" is not in the slot of the lock "{stock}:',
    );
    await using both = await instance.holdfast
      .all([`{stock}:a:${kind}`, `{stock}:b:${kind}`, `far:${kind}`])
      .acquire();
    expect(both.leases).toHaveLength(3);
  });
});
