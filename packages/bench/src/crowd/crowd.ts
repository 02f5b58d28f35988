/** Many workers in several processes for one lock, or for the permits of one semaphore. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type RedisProcess, startWorker, type Worker } from '@holdfast/testkit';
import { type Contender, messageOf } from '../rivals/contender.ts';
import { serverUse, spent } from '../server-use.ts';
import { sum } from '../stats.ts';
import { type Contended, summarize } from './summary.ts';
import { nowMs, type Turn } from './turn.ts';

export interface Crowd {
  readonly kind: 'lock' | 'semaphore' | 'quorum';
  readonly processes: number;
  /** In each process. */
  readonly workers: number;
  readonly holdMs: number;
  /** Connections, scripts and the first queue come about outside the count. */
  readonly warmUpMs: number;
  readonly runMs: number;
  readonly ttlMs: number;
  /** Of a semaphore; for a lock 1. */
  readonly limit: number;
}

/** Handed to a worker when it starts. */
export interface Assignment extends Crowd {
  readonly contender: string;
  readonly ports: readonly number[];
  readonly name: string;
}

export interface Finished {
  readonly type: 'done';
  readonly turns: readonly (readonly Turn[])[];
  readonly commands: number;
  readonly unhandled: readonly string[];
  /** The last error of `acquire` or `release`. */
  readonly lastFailure?: string;
}

export interface Crowded extends Contended {
  /** Per acquisition, sent to all servers together. */
  readonly commands: number;
  /** Per acquisition, in and out, of all servers together. */
  readonly bytes: number;
  /** Processor time per acquisition, of all servers together. */
  readonly serverUs: number;
  /** What it did besides. */
  readonly word?: string;
}

/** What it came to, or why it came to nothing. */
export type Tried<T> = { readonly seen: T } | { readonly failed: string };

/** Found from `src` (the tests) and from `dist` alike: processes run what was built. */
const SCRIPT = new URL('../../dist/crowd/crowd-worker.js', import.meta.url);
const START_WITHIN_MS = 60_000;
/** For the turns of a whole window to arrive. */
const END_WITHIN_MS = 15_000;
let runs = 0;

export async function tryCrowd(
  { id }: Contender,
  servers: readonly RedisProcess[],
  crowd: Crowd,
): Promise<Tried<Crowded>> {
  const ports = servers.map(({ port }) => port);
  const name = `bench:crowd:${id}:${++runs}`;
  const ASSIGNMENT = JSON.stringify({ ...crowd, contender: id, ports, name } satisfies Assignment);
  const processes = Array.from({ length: crowd.processes }, () =>
    startWorker(SCRIPT, { env: { ASSIGNMENT } }),
  );
  try {
    return { seen: await run(processes, servers, crowd) };
  } catch (error) {
    return { failed: messageOf(error) };
  } finally {
    await Promise.all(processes.map((one) => one.kill9()));
  }
}

async function run(
  processes: readonly Worker[],
  servers: readonly RedisProcess[],
  { warmUpMs, runMs, limit }: Crowd,
): Promise<Crowded> {
  await Promise.all(processes.map((one) => next(one, 'ready', START_WITHIN_MS)));
  const from = nowMs() + warmUpMs;
  const window = { from, until: from + runMs };
  for (const one of processes) one.send(window);
  await sleep(from - nowMs());
  const before = await serverUse(servers);
  const finishing = Promise.all(
    processes.map((one) => next(one, 'done', warmUpMs + runMs + END_WITHIN_MS) as Promise<Finished>),
  );
  const [done, used] = await Promise.all([
    finishing,
    sleep(window.until - nowMs()).then(async () => spent(before, await serverUse(servers))),
  ]);
  const seen = summarize(
    done.flatMap(({ turns }) => turns),
    window,
    limit,
  );
  const word = wordOf(done, seen);
  return {
    ...seen,
    commands: sum(done.map(({ commands }) => commands)) / seen.acquisitions,
    bytes: used.bytes / seen.acquisitions,
    serverUs: used.cpuUs / seen.acquisitions,
    ...(word && { word }),
  };
}

function wordOf(done: readonly Finished[], { failures, failedReleases, violations }: Contended): string {
  const lost = sum(done.map(({ unhandled }) => unhandled.length));
  const last = done.find(({ lastFailure }) => lastFailure)?.lastFailure;
  const counts = [
    failures > 0 && `gave up ${failures} times`,
    failedReleases > 0 && `${failedReleases} releases failed`,
    violations > 0 && `${violations} OVERLAPS`,
    lost > 0 && `${lost} unhandled rejections`,
    last && (failures > 0 || failedReleases > 0) && `last: ${last.slice(0, 90)}`,
  ];
  return counts.filter(Boolean).join(', ');
}

export function next(worker: Worker, type: string, withinMs: number): Promise<unknown> {
  const isIt = (m: unknown) => typeof m === 'object' && m !== null && 'type' in m && m.type === type;
  return worker.waitFor(isIt, withinMs);
}
