/** Who waits first is served first, in whatever process; and the dead cost the living next to nothing [18, 19, 23]. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RedisProcess, startServer, startWorker, type Worker } from '../../../testkit/src/index.ts';
import { open } from './support/instance.ts';
import { freshName, queued } from './support/server.ts';
import { took } from './support/time.ts';

const QUEUE_WORKER = new URL('./workers/queue.mjs', import.meta.url);
const CROWD = new URL('./workers/dying-crowd.mjs', import.meta.url);

interface Served {
  served: number;
  token: number;
  servedAt: number;
}

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

async function processes(name: string, kinds: readonly string[]): Promise<Worker[]> {
  const workers = kinds.map((kind) => startWorker(QUEUE_WORKER, { args: [kind, String(server.port), name] }));
  await Promise.all(workers.map((worker) => worker.waitFor((message) => message === 'ready')));
  return workers;
}

/** Joins one after another: the server has seen each before the next one asks. */
async function joinInTurn(name: string, workers: readonly Worker[], count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    workers[n % workers.length]?.send({ join: [n] });
    await queued(server, name, n + 1);
  }
}

/** In the order of the grants. Messages of different processes overtake each other, tokens do not. */
async function servedBy(workers: readonly Worker[], count: number): Promise<Served[]> {
  const share = async (worker: Worker, i: number) => {
    const mine = Math.ceil((count - i) / workers.length);
    const all: Served[] = [];
    while (all.length < mine) all.push(await worker.waitFor<Served>((m) => m?.served !== undefined, 30_000));
    return all;
  };
  return (await Promise.all(workers.map(share))).flat().sort((a, b) => a.token - b.token);
}

async function end(workers: readonly Worker[]): Promise<void> {
  for (const worker of workers) if (worker.running) worker.send('end');
  await Promise.all(workers.map((worker) => worker.exited));
}

describe('the queue', () => {
  test('200 waiters in 4 processes, on two kinds of client, are served in the order of their arrival', async () => {
    const name = freshName('order');
    await using holder = await open(server.port);
    const lease = await holder.holdfast.lock(name).acquire();
    const workers = await processes(name, ['ioredis', 'node-redis', 'ioredis', 'node-redis']);
    await joinInTurn(name, workers, 200);
    const served = servedBy(workers, 200);
    await lease.release();
    expect((await served).map((one) => one.served)).toEqual(Array.from({ length: 200 }, (_, n) => n));
    await end(workers);
  });

  test('waiters of a process that is killed in the middle of the queue delay nobody by more than 100 ms', async () => {
    const name = freshName('killed');
    await using holder = await open(server.port);
    const lease = await holder.holdfast.lock(name).acquire();
    const workers = await processes(name, ['ioredis', 'node-redis', 'ioredis']);
    await joinInTurn(name, workers, 12);
    await workers[1]?.kill9();
    const alive = [workers[0], workers[2]].filter((worker) => worker !== undefined);
    const served = servedBy(alive, 8);
    await lease.release();
    const order = await served;
    expect(order.map((one) => one.served)).toEqual([0, 2, 3, 5, 6, 8, 9, 11]);
    const gaps = order.slice(1).map((one, i) => one.servedAt - (order[i]?.servedAt ?? 0));
    expect(Math.max(...gaps)).toBeLessThan(100);
    await end(alive);
  });

  test('5,000 waiters of one process are all served, in order', async () => {
    const name = freshName('crowd');
    await using holder = await open(server.port);
    await using crowd = await open(server.port, { kind: 'node-redis 6', waitMs: 60_000 });
    const lock = crowd.holdfast.lock(name);
    const lease = await holder.holdfast.lock(name).acquire();
    const served: number[] = [];
    const waits = Array.from({ length: 5_000 }, (_, n) => lock.use(() => void served.push(n)));
    await queued(server, name, 5_000);
    await lease.release();
    await Promise.all(waits);
    expect(served).toEqual(Array.from({ length: 5_000 }, (_, n) => n));
  });
});

describe('600 entries of a dead process in front, more than one script call drops,', () => {
  test('do not stop the release from reaching the live waiter behind them', async () => {
    const name = freshName('dead');
    await using holder = await open(server.port);
    const lease = await holder.holdfast.lock(name).acquire();
    const crowd = startWorker(CROWD, { args: [String(server.port), name, '600'] });
    await queued(server, name, 600);
    const waiting = holder.holdfast.lock(name).acquire({ waitMs: 60_000 });
    await queued(server, name, 601);
    await crowd.kill9();
    await lease.release();
    const { ms, value } = await took(waiting);
    expect(ms).toBeLessThan(200);
    expect(await value.release()).toBe('released');
  });

  test('do not keep a live waiter from the lock when the holder died with them', async () => {
    const name = freshName('dead-holder');
    await using waiter = await open(server.port);
    const crowd = startWorker(CROWD, { args: [String(server.port), name, '600', '1500'] });
    await queued(server, name, 600);
    const waiting = waiter.holdfast.lock(name).acquire({ waitMs: 60_000 });
    await queued(server, name, 601);
    await crowd.kill9();
    const leftMs = Number(await server.command('PTTL', name));
    const { ms, value } = await took(waiting);
    // The 601st asks 5 ms per place later than the first would have, and then at once until it is served.
    expect(ms).toBeLessThan(leftMs + 600 * 5 + 500);
    expect(await value.release()).toBe('released');
  });
});
