/** Something dies: how long until the next one has the lock. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type RedisProcess, startServer, startWorker, type Worker } from '@holdfast/testkit';
import { next } from '../crowd/crowd.ts';
import { nowMs } from '../crowd/turn.ts';
import { aim, figureOf, type Part, type Row, rowOf, type Table } from '../part.ts';
import { type Contender, messageOf } from '../rivals/contender.ts';
import { waiting } from '../rivals/index.ts';
import { median } from '../stats.ts';

/** Handed to a worker when it starts. */
export interface Assignment {
  readonly port: number;
  readonly contender: string;
  readonly name: string;
  readonly ttlMs: number;
}

interface Trial {
  readonly server: RedisProcess;
  readonly contender: Contender;
  readonly ttlMs: number;
}

const SCRIPT = new URL('../../dist/parts/recovery-worker.js', import.meta.url);
const START_WITHIN_MS = 60_000;
/** For the second one to stand in the queue, or to be between two polls. */
const SETTLE_MS = 150;
let trials = 0;

/** Waits for the lock no longer than this. */
const patienceMs = (ttlMs: number) => ttlMs * 3 + 2_000;

/** Starts so many processes for one new lock; the first one holds it, the others wait. */
async function crew(trial: Trial, count: number): Promise<Worker[]> {
  const { server, contender, ttlMs } = trial;
  const name = `bench:recovery:${contender.id}:${++trials}`;
  const ASSIGNMENT = JSON.stringify({
    port: server.port,
    contender: contender.id,
    name,
    ttlMs,
  } satisfies Assignment);
  const workers = Array.from({ length: count }, () => startWorker(SCRIPT, { env: { ASSIGNMENT } }));
  try {
    await Promise.all(workers.map((worker) => next(worker, 'ready', START_WITHIN_MS)));
    for (const [i, worker] of workers.entries()) {
      worker.send('acquire');
      await next(worker, i === 0 ? 'got' : 'asking', START_WITHIN_MS);
      if (i > 0) await sleep(SETTLE_MS);
    }
    return workers;
  } catch (error) {
    await Promise.all(workers.map((worker) => worker.kill9()));
    throw error;
  }
}

type Strike = (trial: Trial, workers: readonly Worker[]) => Promise<{ readonly since: number }>;

/** From the strike until the last of the crew has the lock, in ms. */
async function recover(trial: Trial, count: number, strike: Strike): Promise<number> {
  const workers = await crew(trial, count);
  try {
    const { since } = await strike(trial, workers);
    const last = workers.at(-1);
    if (last === undefined) throw new Error('nobody waits');
    const withinMs = patienceMs(trial.ttlMs);
    const got = next(last, 'got', withinMs) as Promise<{ at: number }>;
    const { at } = await got.catch((error: unknown) => {
      throw last.running ? new Error(`not within ${withinMs / 1_000} s`) : error;
    });
    // It may have heard of the restart before we did.
    return Math.max(0, at - since);
  } finally {
    await Promise.all(workers.map((worker) => worker.kill9()));
  }
}

const killHolder: Strike = async (_, [holder]) => {
  const since = nowMs();
  await holder?.kill9();
  return { since };
};

const killWaiter: Strike = async (_, [holder, waiter]) => {
  await waiter?.kill9();
  const since = nowMs();
  holder?.send('release');
  return { since };
};

/** From when the server answers again; it has lost the lock. */
const restartServer: Strike = async ({ server }) => {
  await server.kill9();
  await server.start();
  return { since: nowMs() };
};

const STRIKES = [
  { id: 'holder', count: 2, strike: killHolder },
  { id: 'waiter', count: 3, strike: killWaiter },
  { id: 'restart', count: 2, strike: restartServer },
] as const;

async function rowFor(trial: Trial, rounds: number): Promise<Row> {
  const figures: Record<string, number> = {};
  const words: string[] = [];
  for (const { id, count, strike } of STRIKES) {
    const seen: number[] = [];
    for (let i = 0; i < rounds; i++) {
      const tried = await recover(trial, count, strike).catch(messageOf);
      if (typeof tried === 'number') seen.push(tried);
      else {
        words.push(`${id}: ${tried.slice(0, 120)}`);
        break;
      }
    }
    figures[id] = seen.length === rounds ? median(seen) : Number.NaN;
  }
  return rowOf(trial.contender, figures, words.join('; '));
}

const tableOf = (ttlMs: number, rows: Row[]): Table => ({
  id: 'recovery',
  title: `Until the next one has the lock, ttl ${ttlMs.toLocaleString('en-US')} ms`,
  columns: [
    { id: 'holder', label: 'holder killed, ms', digits: 0 },
    { id: 'waiter', label: 'a waiter ahead killed, then released, ms', digits: 0, better: 'less' },
    { id: 'restart', label: 'server killed and started again, ms', digits: 0, better: 'less' },
  ],
  rows,
  aims: [
    aim('holder killed: until the next grant', figureOf(rows, 'holdfast', 'holder'), ttlMs + 100, 'ms'),
    aim('dead waiter ahead: until the next grant', figureOf(rows, 'holdfast', 'waiter'), 100, 'ms'),
    aim('server restarted: until the next grant', figureOf(rows, 'holdfast', 'restart'), 1_000, 'ms'),
  ],
  notes: [
    'Counted from the kill, from the call of release, and from when the server answers again (it persists nothing). A holder that renews has between two thirds and all of its ttl left when it dies, by chance: nobody is ahead in that column. Whoever gives up asks again at once.',
  ],
  chart: 'waiter',
});

export const recovery: Part = {
  id: 'recovery',
  what: 'holder killed, waiter killed, server restarted: until the next grant',
  async run({ quick, progress }) {
    const ttlMs = quick ? 300 : 1_000;
    const rows: Row[] = [];
    await using server = await startServer();
    for (const contender of waiting.filter(({ role }) => !quick || role === 'holdfast')) {
      progress(contender.label);
      if (contender.lock) rows.push(await rowFor({ server, contender, ttlMs }, quick ? 1 : 2));
    }
    return [tableOf(ttlMs, rows)];
  },
};
