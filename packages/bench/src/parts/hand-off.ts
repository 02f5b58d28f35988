/**
 * A hand-off (release called → the next holder runs, in another process) against one bare message through PUBLISH between the
 * same two processes, each after the same idle time.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { startServer, startWorker, type Worker } from '@holdfast/testkit';
import { Holdfast } from 'holdfast';
import { Redis } from 'ioredis';
import { next } from '../crowd/crowd.ts';
import { aim, figureOf, type Part, type Row, type Table } from '../part.ts';
import { median } from '../stats.ts';

interface At {
  readonly at: string;
}

const NAME = 'bench:hand-off';
const IDLE_MS = 5;
const WITHIN_MS = 20_000;
const SCRIPT = new URL('../../dist/parts/hand-off-worker.js', import.meta.url);

async function measure(port: number, rounds: number): Promise<Row[]> {
  await using worker = await startWorker(SCRIPT, { env: { PORT: String(port), NAME } });
  const redis = new Redis({ port });
  await using holdfast = new Holdfast(redis);
  await next(worker, 'ready', WITHIN_MS);
  const messages: number[] = [];
  const handOffs: number[] = [];
  for (let i = 0; i < rounds; i++) {
    messages.push(await message(redis, worker));
    handOffs.push(await handOver(redis, holdfast, worker));
  }
  redis.disconnect();
  const toMessage = median(handOffs) / median(messages);
  return [
    { id: 'floor', label: 'one message', role: 'floor', figures: { us: median(messages), toMessage: 1 } },
    { id: 'holdfast', label: 'Holdfast', role: 'holdfast', figures: { us: median(handOffs), toMessage } },
  ];
}

async function message(redis: Redis, worker: Worker): Promise<number> {
  await sleep(IDLE_MS);
  const sentAt = process.hrtime.bigint();
  const [, heard] = await Promise.all([
    redis.publish('bench:message', 'x'),
    next(worker, 'heard', WITHIN_MS) as Promise<At>,
  ]);
  return Number(BigInt(heard.at) - sentAt) / 1_000;
}

async function handOver(redis: Redis, holdfast: Holdfast, worker: Worker): Promise<number> {
  const lease = await holdfast.lock(NAME).acquire();
  worker.send('wait');
  while ((await holdfast.inspect(NAME)).queueLength === 0) await sleep(1);
  await redis.ping();
  await sleep(IDLE_MS);
  const calledAt = process.hrtime.bigint();
  const [, got] = await Promise.all([lease.release(), next(worker, 'got', WITHIN_MS) as Promise<At>]);
  worker.send('release');
  await next(worker, 'released', WITHIN_MS);
  return Number(BigInt(got.at) - calledAt) / 1_000;
}

const tableOf = (rows: Row[]): Table => ({
  id: 'hand-off',
  title: 'Release called → the next holder runs, in another process, after 5 idle ms',
  columns: [
    { id: 'us', label: 'µs', digits: 0 },
    { id: 'toMessage', label: '/ one message', digits: 2 },
  ],
  rows,
  aims: [aim('hand-off / one bare message', figureOf(rows, 'holdfast', 'toMessage'), 1.6)],
  notes: [
    'Nobody else hands over: rivals poll, or all ask again at a release (hot-lock has what that comes to).',
  ],
});

export const handOff: Part = {
  id: 'hand-off',
  what: 'a hand-off to another process against one bare message',
  async run({ quick }) {
    await using server = await startServer();
    return [tableOf(await measure(server.port, quick ? 20 : 300))];
  },
};
