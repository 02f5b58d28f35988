/** Queues whose processes are gone: that takes a look at other keys. */
import type { Redis } from 'ioredis';
import { each } from '../look/scan.ts';
import type { Finding } from './finding.ts';
import { verdict } from './judge.ts';
import { BULL_ACTIVE, REDISSON_QUEUE } from './layouts.ts';
import type { Observed } from './observe.ts';

export async function deadQueues(redis: Redis, seen: readonly Observed[]): Promise<Finding[]> {
  const found = await Promise.all([
    ...seen.filter(({ key }) => BULL_ACTIVE.test(key)).map((one) => bull(redis, one)),
    ...seen.filter(({ key }) => REDISSON_QUEUE.test(key)).map((one) => redisson(redis, one)),
  ]);
  return found.flat();
}

/** A job that is worked on has a lock that its worker renews. */
async function bull(redis: Redis, seen: Observed): Promise<readonly Finding[]> {
  const [, queue = ''] = BULL_ACTIVE.exec(seen.key) ?? [];
  const jobs = seen.items ?? [];
  const locks = await asked(
    redis,
    jobs.map((job) => `${queue}:${job}:lock`),
  );
  const dead = locks.filter((lock) => lock === 0).length;
  if (dead === 0) return [];
  const by = `its name; ${dead} of ${jobs.length} active jobs have no worker that renews their lock`;
  return verdict(seen, { library: 'BullMQ', sure: 'likely', by }, ['dead queue']).findings;
}

/** Who waits in a fair lock's queue while nobody holds the lock is not there any more. */
async function redisson(redis: Redis, seen: Observed): Promise<readonly Finding[]> {
  const [, lock = ''] = REDISSON_QUEUE.exec(seen.key) ?? [];
  const [held] = await asked(redis, [lock]);
  if (held !== 0 || seen.ttlMs !== undefined) return [];
  const by = `its name; ${seen.size} wait for a lock that nobody holds`;
  return verdict(seen, { library: 'Redisson', sure: 'likely', by }, ['dead queue']).findings;
}

/** Whether they are there. In a Cluster they may be on another node: then nobody knows, and nothing is said. */
async function asked(redis: Redis, keys: readonly string[]): Promise<unknown[]> {
  try {
    return await each(redis, keys, (key) => ['EXISTS', key]);
  } catch (error) {
    if (/^MOVED/.test((error as Error).message)) return [];
    throw error;
  }
}
