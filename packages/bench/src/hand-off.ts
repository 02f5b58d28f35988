/**
 * A hand-off (release called → the next holder runs, in another process) against one bare message through PUBLISH between the
 * same two processes, each after the same idle time. Also the server's time for one hand-off with few and with many waiters.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { startServer, startWorker, type Worker } from '@holdfast/testkit';
import { Holdfast, type Lease } from 'holdfast';
import { Redis } from 'ioredis';
import { type Part, row, us } from './part.ts';
import { commandStats, median } from './stats.ts';

interface HandOff {
  readonly messageUs: number;
  readonly handOffUs: number;
  readonly ratio: number;
}

interface At {
  readonly at: string;
}

const NAME = 'bench:hand-off';

async function measureHandOff(redis: Redis, port: number, rounds: number, idleMs: number): Promise<HandOff> {
  const script = new URL('./hand-off-worker.js', import.meta.url);
  await using worker = await startWorker(script, { env: { PORT: String(port), NAME } });
  await using holdfast = new Holdfast(redis);
  await next(worker, 'ready');
  const messages: number[] = [];
  const handOffs: number[] = [];
  for (let i = 0; i < rounds; i++) {
    messages.push(await message(redis, worker, idleMs));
    handOffs.push(await oneHandOff(redis, holdfast, worker, idleMs));
  }
  const ratio = median(handOffs) / median(messages);
  return { messageUs: median(messages), handOffUs: median(handOffs), ratio };
}

async function message(redis: Redis, worker: Worker, idleMs: number): Promise<number> {
  await sleep(idleMs);
  const sentAt = process.hrtime.bigint();
  const [, heard] = await Promise.all([redis.publish('bench:message', 'x'), next(worker, 'heard')]);
  return Number(BigInt(heard.at) - sentAt) / 1000;
}

async function oneHandOff(redis: Redis, holdfast: Holdfast, worker: Worker, idleMs: number): Promise<number> {
  const lease = await holdfast.lock(NAME).acquire();
  worker.send('wait');
  while ((await holdfast.inspect(NAME)).queueLength === 0) await sleep(1);
  await redis.ping();
  await sleep(idleMs);
  const calledAt = process.hrtime.bigint();
  const [, got] = await Promise.all([lease.release(), next(worker, 'got')]);
  worker.send('release');
  await next(worker, 'released');
  return Number(BigInt(got.at) - calledAt) / 1000;
}

/** Server time of one release with a hand-off, while that many wait; whoever is served joins again behind the others. */
async function measureQueueCost(
  redis: Redis,
  waiting: Redis,
  length: number,
  rounds: number,
): Promise<number> {
  const name = `bench:queue:${length}`;
  await using holder = new Holdfast(redis);
  await using crowd = new Holdfast(waiting);
  const end = new AbortController();
  const lock = crowd.lock(name, { waitMs: 600_000, ttlMs: 60_000 });
  const granted: Lease[] = [];
  const join = () =>
    lock.acquire({ signal: end.signal }).then(
      (lease) => void granted.push(lease),
      () => undefined,
    );
  const full = async () => {
    while ((await holder.inspect(name)).queueLength < length) await sleep(1);
  };
  const first = await holder.lock(name, { ttlMs: 60_000 }).acquire();
  const waits = Array.from({ length }, join);
  await full();
  const costs: number[] = [];
  for (let next: Lease | undefined = first; costs.length < rounds; next = granted.shift()) {
    if (next === undefined) {
      await sleep(0);
      continue;
    }
    waits.push(join());
    if (next !== first) await full();
    await redis.config('RESETSTAT');
    await next.release();
    costs.push(commandStats(await redis.info('commandstats'), ['evalsha']).usec);
  }
  end.abort();
  await Promise.all(waits);
  return median(costs);
}

async function next(worker: Worker, type: string): Promise<At> {
  const isIt = (m: unknown) => typeof m === 'object' && m !== null && 'type' in m && m.type === type;
  return (await worker.waitFor(isIt, 20_000)) as At;
}

export const handOff: Part = {
  id: 'hand-off',
  what: 'a hand-off to another process, and with 10 and with 5,000 waiters',
  async run({ quick }) {
    await using server = await startServer();
    const redis = new Redis({ port: server.port });
    const waiting = new Redis({ port: server.port });
    const measured = await measureHandOff(redis, server.port, quick ? 30 : 400, 5);
    const few = await measureQueueCost(redis, waiting, 10, quick ? 20 : 200);
    const many = await measureQueueCost(redis, waiting, quick ? 500 : 5_000, quick ? 20 : 200);
    redis.disconnect();
    waiting.disconnect();
    return {
      figures: { handOff: measured, few, many },
      rows: [
        row('hand-off / bare message', measured.ratio, 1.6),
        row(`hand-off, ${quick ? 500 : '5,000'} waiters / 10 waiters: server time`, many / few, 1.5),
      ],
      notes: [
        `hand-off ${us(measured.handOffUs)}, bare message ${us(measured.messageUs)}; server time of one release ${us(few)} with 10 waiters, ${us(many)} with many`,
      ],
    };
  },
};
