/** Read-write locks in a crowd: processes with each client, some of them killed; nobody is in with a writer, nobody is passed over. */
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import {
  eventually,
  type RedisProcess,
  startServer,
  startWorker,
  type Worker,
} from '../../../testkit/src/index.ts';
import type { ReadWrite } from '../../src/index.ts';
import type { ReadWriteMode } from '../../src/store/store.ts';
import { type ClientName, clients } from '../suites/clients.ts';
import { KINDS, open } from './support/instance.ts';
import { freshName } from './support/server.ts';
import { pass, took } from './support/time.ts';

const HOLDER = new URL('./workers/read-write-holder.mjs', import.meta.url);
const CROWD = new URL('./workers/read-write-crowd.mjs', import.meta.url);
const TITLES = Object.keys(clients) as ClientName[];
const TTL_MS = 1_500;

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
  eventually(async () => (await lock.inspect()).queueLength === length, {
    what: `${length} waiters`,
    withinMs: 30_000,
  });

interface Seen {
  readonly added: number;
  readonly read: number;
  readonly upgraded: number;
  readonly downgraded: number;
  readonly faults: readonly string[];
}

describe.each(KINDS)('killed: %s', { timeout: 90_000 }, (kind) => {
  const worker = (
    name: string,
    side: ReadWriteMode,
    options: { ttlMs?: number; upgrades?: boolean } = {},
  ) => {
    const plan = { title: kind, ports: [server.port], name, side, ttlMs: TTL_MS, ...options };
    return startWorker(HOLDER, { args: [JSON.stringify(plan)] });
  };
  const holds = (one: Worker) =>
    one.waitFor<{ fencingToken: number }>((message) => typeof message === 'object', 30_000);

  test('a reader, an upgradeable or a writer that is killed costs those behind it one ttl', async () => {
    await using one = await open(server.port, { kind });
    const lock = one.holdfast.readWrite(freshName('killed'));
    for (const [dies, waits] of [
      ['read', 'write'],
      ['upgradeable', 'write'],
      ['write', 'read'],
    ] as const) {
      await using holder = worker(lock.name, dies);
      const { fencingToken } = await holds(holder);
      const live = waits === 'write' ? await lock.read.acquire() : undefined;
      const waiting = lock[waits].acquire({ waitMs: 20_000 });
      await queueOf(lock, 1);
      await holder.kill9();
      const { leases } = await lock.inspect();
      expect(leases.some(({ holder, mode }) => holder.label === 'to be killed' && mode === dies)).toBe(true);
      await live?.release();
      const { ms, value } = await took(waiting);
      expect(ms, dies).toBeLessThan(2 * TTL_MS);
      expect(value.fencingToken).toBeGreaterThan(fencingToken);
      await value.release();
    }
    expect(await lock.inspect()).toMatchObject({ state: 'free', queueLength: 0 });
  });

  test('readers do not wait for a reader that was killed, nor for a writer that was killed while it waited', async () => {
    await using one = await open(server.port, { kind });
    const lock = one.holdfast.readWrite(freshName('killed'));
    await using dead = worker(lock.name, 'read', { ttlMs: 60_000 });
    await holds(dead);
    await dead.kill9();
    await (await lock.read.acquire({ waitMs: 0 })).release();
    const live = await lock.read.acquire();
    await using head = worker(lock.name, 'write', { ttlMs: 60_000 });
    await queueOf(lock, 1);
    const behind = lock.read.acquire({ waitMs: 20_000 });
    await queueOf(lock, 2);
    await head.kill9();
    await (await behind).release();
    await live.release();
  });

  test('an upgrade whose process is killed keeps readers out no longer than it takes to notice, and writers one ttl', async () => {
    await using one = await open(server.port, { kind });
    const lock = one.holdfast.readWrite(freshName('killed'));
    const live = await lock.read.acquire();
    await using holder = worker(lock.name, 'upgradeable', { upgrades: true });
    await holds(holder);
    await queueOf(lock, 1);
    const reading = lock.read.acquire({ waitMs: 20_000 });
    const writing = lock.write.acquire({ waitMs: 20_000 });
    await queueOf(lock, 3);
    await holder.kill9();
    await (await reading).release();
    await live.release();
    const { ms, value } = await took(writing);
    expect(ms).toBeLessThan(2 * TTL_MS);
    await value.release();
  });
});

describe('a crowd', { timeout: 90_000 }, () => {
  test('of processes with each client, one of them killed, loses no change and reads nothing that moves', async () => {
    await using one = await open(server.port);
    const lock = one.holdfast.readWrite(freshName('crowd'));
    const number = `${lock.name}:number`;
    const places = { ports: [server.port], place: server.port, name: lock.name, number };
    const member = (title: string, options: { ttlMs: number; rounds: number }) =>
      startWorker(CROWD, { args: [JSON.stringify({ ...places, title, members: 9, ...options })] });
    const workers = TITLES.map((title) => member(title, { ttlMs: 10_000, rounds: 9 }));
    await using dying = member('ioredis 5', { ttlMs: TTL_MS, rounds: 10_000 });
    const all = [...workers, dying];
    onTestFinished(async () => void (await Promise.all(workers.map((worker) => worker.kill9()))));
    await Promise.all(all.map((worker) => worker.waitFor((message) => message === 'ready', 60_000)));
    for (const worker of all) worker.send('go');
    let addedByDying = 0;
    const counted = (async () => {
      for await (const message of dying.messages) {
        if (message !== 'added') throw new Error(`it ended by itself: ${JSON.stringify(message)}`);
        addedByDying++;
      }
    })();
    await Promise.race([eventually(() => addedByDying > 10, { withinMs: 30_000 }), counted]);
    await dying.kill9();
    await counted;
    const seen = await Promise.all(
      workers.map(async (worker) => {
        const { seen } = await worker.waitFor<{ seen: Seen }>(
          (message) => typeof message === 'object',
          60_000,
        );
        return seen;
      }),
    );
    expect(seen.flatMap(({ faults }) => faults)).toEqual([]);
    for (const { read, upgraded, downgraded } of seen) {
      expect(read).toBe(45);
      expect(upgraded).toBe(9);
      expect(downgraded).toBe(9);
    }
    const added = seen.reduce((sum, one) => sum + one.added, addedByDying);
    const last = Number(await server.command('HGET', number, 'number'));
    // It may have been killed between a change and its word of it.
    expect([added, added + 1]).toContain(last);
    expect(await lock.inspect()).toMatchObject({ state: 'free', queueLength: 0 });
  });

  test.each([
    ['many readers and few writers', 20, 4],
    ['many writers and few readers', 4, 20],
  ])('that never ends, of %s, passes nobody over', async (_, readers, writers) => {
    await using one = await open(server.port);
    await using two = await open(server.port, { kind: 'node-redis 6' });
    const name = freshName('endless');
    const locks = [one, two].map(({ holdfast }) => holdfast.readWrite(name, { waitMs: 30_000 }));
    const sides = [...Array(readers).fill('read'), ...Array(writers).fill('write')] as ('read' | 'write')[];
    const served = sides.map(() => 0);
    const grants: { readonly call: number; readonly token: number }[] = [];
    let calls = 0;
    await Promise.all(
      sides.map(async (side, i) => {
        while (grants.length < 100 * sides.length) {
          const call = ++calls;
          await (locks[i % 2] as ReadWrite)[side].use(async ({ fencingToken: token }) => {
            grants.push({ call, token });
            served[i] = (served[i] ?? 0) + 1;
            await pass(Math.random() * 3);
          });
        }
      }),
    );
    const later = (one: { call: number; token: number }) =>
      grants.filter(({ call, token }) => call > one.call && token < one.token).length;
    // Nobody who came behind it in the queue; but some while it was on its way there, and more while its process began to listen.
    const asked = grants.filter(({ call }) => call > sides.length);
    expect(Math.max(...asked.map(later))).toBeLessThan(sides.length);
    expect(Math.min(...served)).toBeGreaterThan(Math.max(...served) / 2);
  });
});
