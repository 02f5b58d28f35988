/** Deadlocks across processes: each is found, by one of those in it, soon; what goes round in no circle is left alone; and nothing is paid for where nothing can happen. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, type RedisProcess, startServer, startWorker } from '../../../testkit/src/index.ts';
import type { WaitLink } from '../../src/index.ts';
import { type Instance, open } from './support/instance.ts';
import { allKeys, callsDuring, freshName, queued } from './support/server.ts';
import { pass } from './support/time.ts';

const NESTED = new URL('./workers/nested.mjs', import.meta.url);
const CLIENTS = ['ioredis', 'node-redis'];
/** With which a test may be slower than the promise on a machine that does something else. */
const SLACK_MS = 1_500;

interface Ended {
  readonly outcome: string;
  readonly cycle?: readonly WaitLink[];
  readonly message?: string;
}

interface Seen {
  readonly done: number;
  readonly deadlocks: number;
  readonly others: readonly string[];
}

let server: RedisProcess;
let crew: ReturnType<typeof startWorker>[];

beforeAll(async () => {
  server = await startServer();
  crew = Array.from({ length: 6 }, (_, i) =>
    startWorker(NESTED, { args: [CLIENTS[i % 2] ?? '', String(server.port), `worker ${i}`] }),
  );
  await Promise.all(crew.map((worker) => worker.waitFor((message) => message === 'ready')));
});

afterAll(async () => {
  for (const worker of crew) worker.send('end');
  await Promise.all(crew.map((worker) => worker.exited));
  await server.shutdown();
});

const locks = (names: readonly string[]) => names.map((name) => ({ kind: 'lock', name }));
const ended = (worker: ReturnType<typeof startWorker>) =>
  worker.waitFor<Ended>(({ outcome }) => outcome !== undefined, 20_000);

describe('a circle', () => {
  /** Each of `size` processes holds its own and waits for the next one's. */
  async function ring(size: number): Promise<{ ends: readonly Ended[]; foundMs: number; names: string[] }> {
    const names = Array.from({ length: size }, () => freshName());
    const these = crew.slice(0, size);
    for (const [i, worker] of these.entries())
      worker.send({ parts: locks([names[i] ?? '', names[(i + 1) % size] ?? '']) });
    await Promise.all(
      these.map((worker, i) => worker.waitFor(({ holds }: { holds?: string }) => holds === names[i])),
    );
    const all = Promise.all(these.map(ended));
    for (const worker of these) worker.send('go');
    const last = performance.now();
    const ends = await all;
    return { ends, foundMs: performance.now() - last, names };
  }

  test('of 2 to 6 processes has one victim, and ends soon, 30 times', async () => {
    const took: number[] = [];
    for (let round = 0; round < 30; round++) {
      const size = 2 + (round % 5);
      const { ends, foundMs, names } = await ring(size);
      const victims = ends.filter(({ outcome }) => outcome === 'DeadlockError');
      expect(ends.filter(({ outcome }) => outcome === 'done')).toHaveLength(size - 1);
      expect(victims).toHaveLength(1);
      expect(victims[0]?.cycle?.map(({ holds }) => holds).toSorted()).toEqual(names.toSorted());
      took.push(foundMs);
    }
    took.sort((a, b) => a - b);
    console.log(`deadlocks: found and over after ${took.map(Math.round).join(', ')} ms`);
    expect(took[15]).toBeLessThan(250);
    expect(took.at(-1)).toBeLessThan(SLACK_MS);
  });

  test('is told with names, processes and times', async () => {
    const { ends, names } = await ring(2);
    const { message = '', cycle = [] } = ends.find(({ outcome }) => outcome === 'DeadlockError') ?? {};
    for (const name of names) expect(message).toContain(`"${name}"`);
    for (const { process, waitedMs } of cycle) {
      expect(process.label).toMatch(/^worker [01]$/);
      expect(crew.map(({ pid }) => pid)).toContain(process.pid);
      expect(waitedMs).toBeLessThan(SLACK_MS);
    }
  });

  test('is seen by inspect while it grows', async () => {
    const names = [freshName(), freshName(), freshName()];
    const these = crew.slice(0, 2);
    await using observer = await open(server.port);
    const lease = await observer.holdfast.lock(names[2] ?? '').acquire();
    for (const [i, worker] of these.entries())
      worker.send({ parts: locks([names[i] ?? '', names[i + 1] ?? '']) });
    await Promise.all(
      these.map((worker, i) => worker.waitFor(({ holds }: { holds?: string }) => holds === names[i])),
    );
    for (const worker of these) worker.send('go');
    await queued(server, names[1] ?? '', 1);
    await queued(server, names[2] ?? '', 1);
    const waits = await eventually(async () => {
      const seen = (await observer.holdfast.inspect(names[0] ?? '')).waits;
      return seen.length === 2 && seen;
    });
    expect(waits).toMatchObject([
      { holds: names[0], waitsFor: names[1], process: { label: 'worker 0' } },
      { holds: names[1], waitsFor: names[2], process: { label: 'worker 1' } },
    ]);
    await lease.release();
    expect((await Promise.all(these.map(ended))).map(({ outcome }) => outcome)).toEqual(['done', 'done']);
    expect((await observer.holdfast.inspect(names[0] ?? '')).waits).toEqual([]);
  });
});

describe('many at once', () => {
  async function together(
    rounds: (worker: number) => readonly (readonly number[])[],
    parts: readonly object[],
  ) {
    for (const [i, worker] of crew.entries()) worker.send({ parts, rounds: rounds(i) });
    const told = crew.map((worker) =>
      worker.waitFor<{ seen?: Seen }>(({ seen }) => seen !== undefined, 60_000),
    );
    return (await Promise.all(told)).map(({ seen }) => seen as Seen);
  }
  const parts = () => [
    ...locks([freshName(), freshName(), freshName()]),
    { kind: 'semaphore', name: freshName('seats'), limit: 2 },
    { kind: 'semaphore', name: freshName('desks'), limit: 3 },
  ];

  test('waits that come together but go round in no circle are no deadlocks', async () => {
    const orders = [
      [0, 1, 3],
      [0, 2, 4],
      [1, 2, 3, 4],
      [0, 3],
      [1, 4],
      [2, 3, 4],
    ];
    const seen = await together(
      (worker) => Array.from({ length: 60 }, (_, i) => orders[(i + worker) % 6] ?? []),
      parts(),
    );
    expect(seen.flatMap(({ others }) => others)).toEqual([]);
    expect(seen.reduce((sum, { deadlocks }) => sum + deadlocks, 0)).toBe(0);
    expect(seen.reduce((sum, { done }) => sum + done, 0)).toBe(360);
  });

  test('in any order all get what they want, some after they were a victim', async () => {
    const order = (i: number) =>
      [0, 1, 2, 3, 4].map((part) => (part * (1 + (i % 4)) + i) % 5).slice(0, 2 + (i % 3));
    const seen = await together(
      (worker) => Array.from({ length: 15 }, (_, i) => order(i + worker * 7)),
      parts(),
    );
    expect(seen.flatMap(({ others }) => others)).toEqual([]);
    expect(seen.reduce((sum, { done }) => sum + done, 0)).toBe(90);
    console.log(`deadlocks: ${seen.reduce((sum, { deadlocks }) => sum + deadlocks, 0)} victims in 90 rounds`);
    const waits = async () => (await allKeys(server)).every((key) => !key.startsWith('holdfast:waits:'));
    await eventually(waits, { withinMs: 5_000 });
  });
});

/** Two that hold the same at once, and whoever wants what the second of them gives back. */
const SHARED = {
  'a permit': ({ holdfast }: Instance, name: string) => {
    const seats = holdfast.semaphore(name, { limit: 2 });
    return { stuck: seats, free: seats };
  },
  'an upgradeable side': ({ holdfast }: Instance, name: string) => {
    const { read, upgradeable } = holdfast.readWrite(name);
    return { stuck: read, free: upgradeable };
  },
};

test.each(Object.entries(SHARED))(
  '%s that is free, and not asked for yet, makes no circle',
  async (_, partsOf) => {
    const server = await startServer({
      aclLines: ['user deaf on >secret ~* &* +@all -subscribe -ssubscribe'],
    });
    await using other = await open(server.port);
    // It may not be told, so it asks, half a second later each time: meanwhile what it waits for may be free.
    await using asking = await open(server.port, { client: { username: 'deaf', password: 'secret' } });
    asking.holdfast.on('warning', () => {});
    for (let round = 0; round < 4; round++) {
      const [name, shared] = [freshName(), freshName('shared')];
      const lease = await asking.holdfast.lock(name).acquire();
      const stuck = await partsOf(other, shared).stuck.acquire();
      const free = await partsOf(other, shared).free.acquire();
      const waiting = other.holdfast.lock(name).acquire({ within: stuck });
      await queued(server, name, 1);
      const wanted = partsOf(asking, shared).free.acquire({ within: lease });
      await pass(1_200 + 130 * round);
      await free.release();
      await (await wanted).release();
      await lease.release();
      await (await waiting).release();
      await stuck.release();
    }
    await server.shutdown();
  },
);

test('whoever holds nothing, or does not wait, pays nothing', async () => {
  await using one = await open(server.port);
  await using other = await open(server.port, { kind: 'node-redis 6' });
  const [outer, inner] = [freshName(), freshName()];
  await one.holdfast.lock(outer).use(() => one.holdfast.lock(inner).use(() => {}));
  const nested = () => one.holdfast.lock(outer).use(() => one.holdfast.lock(inner).use(() => {}));
  const apart = async () => {
    await one.holdfast.lock(outer).use(() => {});
    await one.holdfast.lock(inner).use(() => {});
  };
  const all = ['get', 'set', 'del', 'zadd', 'eval', 'evalsha'];
  expect(await callsDuring(server, all, nested)).toBe(await callsDuring(server, all, apart));
  const waitWithNothing = async () => {
    const lease = await one.holdfast.lock(outer).acquire();
    const waiting = other.holdfast.lock(outer).acquire();
    await queued(server, outer, 1);
    await lease.release();
    await (await waiting).release();
    expect((await allKeys(server)).filter((key) => key.startsWith('holdfast:waits:'))).toEqual([]);
  };
  await waitWithNothing();
});
