/** Calls of one turn travel as one script call, and each of them is answered as if it were alone, in their order. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RedisProcess, startCluster, startServer } from '../../../testkit/src/index.ts';
import { WrongTypeError } from '../../src/index.ts';
import type { ClientName } from '../suites/clients.ts';
import { open } from './support/instance.ts';
import { callsDuring, freshName } from './support/server.ts';

const MANY = 64;
const CLIENTS = [
  'ioredis 5',
  'ioredis 6',
  'iovalkey',
  'node-redis 5',
  'node-redis 6',
] as const satisfies readonly ClientName[];

let server: RedisProcess;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.shutdown());

const freshNames = () => Array.from({ length: MANY }, () => freshName('joined'));
const scriptsDuring = (work: () => Promise<unknown>) => callsDuring(server, ['eval', 'evalsha'], work);

describe.each(CLIENTS)('with %s', (kind) => {
  test('many acquires, renewals and releases of one turn are a few script calls', async () => {
    await using one = await open(server.port, { kind });
    const locks = freshNames().map((name) => one.holdfast.lock(name));
    await (await one.holdfast.lock(freshName()).acquire()).release();
    const calls = await scriptsDuring(async () => {
      const leases = await Promise.all(locks.map((lock) => lock.acquire()));
      expect(await Promise.all(leases.map((lease) => lease.renew()))).toEqual(Array(MANY).fill('renewed'));
      expect(await Promise.all(leases.map((lease) => lease.release()))).toEqual(Array(MANY).fill('released'));
    });
    expect(calls).toBeLessThan(30);
  });

  test('of a semaphore: no more than its limit, and the others are told at once', async () => {
    await using one = await open(server.port, { kind });
    const semaphore = one.holdfast.semaphore(freshName('semaphore'), { limit: 5 });
    await (await semaphore.acquire()).release();
    const calls = await scriptsDuring(async () => {
      const leases = await Promise.all(Array.from({ length: MANY }, () => semaphore.tryAcquire()));
      expect(leases.filter((lease) => lease !== undefined)).toHaveLength(5);
      await Promise.all(leases.map((lease) => lease?.release()));
    });
    expect(calls).toBeLessThan(20);
  });
});

describe.each(CLIENTS)('with %s', (kind) => {
  test('many renewals of one turn are a few script calls', async () => {
    await using one = await open(server.port, { kind });
    const leases = await Promise.all(freshNames().map((name) => one.holdfast.lock(name).acquire()));
    const calls = await scriptsDuring(async () => {
      expect(await Promise.all(leases.map((lease) => lease.renew()))).toEqual(Array(MANY).fill('renewed'));
    });
    // The first alone, the others together, and once more each when the server does not know the script yet.
    expect(calls).toBeLessThanOrEqual(4);
  });

  test('one whose keys the user may not touch does not touch the others', async () => {
    const user = freshName('user');
    const keys = ['~joined:*', '~holdfast:{joined:*'];
    await server.command('ACL', 'SETUSER', user, 'on', '>secret', 'allcommands', 'allchannels', ...keys);
    await using one = await open(server.port, { kind, client: { username: user, password: 'secret' } });
    const names = freshNames();
    const wrong = MANY / 2;
    names[wrong] = freshName('forbidden');
    for (let round = 0; round < 2; round++) {
      const answers = await Promise.allSettled(names.map((name) => one.holdfast.lock(name).acquire()));
      expect(answers[wrong]).toMatchObject({ reason: { code: 'HOLDFAST_SERVER_REFUSED', reply: 'NOPERM' } });
      const leases = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
      expect(leases).toHaveLength(MANY - 1);
      await Promise.all(leases.map((lease) => lease.release()));
    }
  });

  test('one that is refused does not touch the others', async () => {
    await using one = await open(server.port, { kind });
    const names = freshNames();
    const wrong = names[MANY / 2] ?? '';
    await server.command('SADD', wrong, 'no lock');
    const answers = await Promise.allSettled(names.map((name) => one.holdfast.lock(name).acquire()));
    for (const [i, answer] of answers.entries()) {
      if (names[i] === wrong) expect(answer).toMatchObject({ reason: expect.any(WrongTypeError) });
      else expect(answer).toMatchObject({ value: { name: names[i] } });
    }
  });

  test('what was called first happens first', async () => {
    await using one = await open(server.port, { kind });
    const lock = one.holdfast.lock(freshName());
    const others = freshNames().map((name) => one.holdfast.lock(name));
    for (let round = 0; round < 20; round++) {
      const held = await lock.acquire();
      const before = others.slice(0, round).map((other) => other.tryAcquire());
      const released = held.release();
      const again = lock.tryAcquire();
      const refused = lock.tryAcquire();
      expect(await released).toBe('released');
      expect(await again).toMatchObject({ fencingToken: expect.any(Number) });
      expect(await refused).toBeUndefined();
      expect((await again)?.fencingToken).toBeGreaterThan(held.fencingToken);
      await Promise.all([(await again)?.release(), ...before.map(async (one) => (await one)?.release())]);
    }
  });

  test('a server that forgets its scripts costs a round trip, no answer', async () => {
    await using one = await open(server.port, { kind });
    const locks = freshNames().map((name) => one.holdfast.lock(name));
    for (let round = 0; round < 3; round++) {
      const leases = await Promise.all(locks.map((lock) => lock.acquire()));
      await server.command('SCRIPT', 'FLUSH');
      expect(await Promise.all(leases.map((lease) => lease.release()))).toEqual(Array(MANY).fill('released'));
    }
  });
});

test('waiters of one turn are served in the order of their calls', async () => {
  await using one = await open(server.port, { kind: 'node-redis 6' });
  await using other = await open(server.port);
  const lock = one.holdfast.lock(freshName());
  const held = await other.holdfast.lock(lock.name).acquire();
  const order: number[] = [];
  const waiting = Array.from({ length: MANY }, async (_, i) => {
    const lease = await lock.acquire();
    order.push(i);
    await lease.release();
  });
  await held.release();
  await Promise.all(waiting);
  expect(order).toEqual([...Array(MANY).keys()]);
});

test('behind something that looks like one server and is several, calls travel apart', async () => {
  await using cluster = await startCluster({ masters: 1, replicasPerMaster: 0 });
  const [node] = cluster.nodes;
  await using one = await open(node?.server.port ?? 0, { kind: 'node-redis 6' });
  const locks = freshNames().map((name) => one.holdfast.lock(name));
  for (let round = 0; round < 2; round++) {
    const leases = await Promise.all(locks.map((lock) => lock.acquire()));
    expect(await Promise.all(leases.map((lease) => lease.release()))).toEqual(Array(MANY).fill('released'));
  }
});
