import type { Redis } from 'ioredis';
import type { LockOptions } from 'redis-semaphore';
import { type Client, ioredisOf } from '../clients.ts';
import { type Contender, type Lock, type SemaphoreOptions, TTL_MS } from './contender.ts';

/** Its default is 10 ms. */
const BEST: LockOptions = { retryInterval: 2 };

interface Hold {
  acquire(): Promise<void>;
  release(): Promise<void>;
}

/** One object is one hold, as in its README. */
const locks = (holdOf: (name: string) => Hold): Lock => ({
  async acquire(name) {
    const hold = holdOf(name);
    await hold.acquire();
    return () => hold.release();
  },
});

/** By default a lost lock ends the process. */
const optionsOf = (ttlMs: number, options: LockOptions): LockOptions => ({
  lockTimeout: ttlMs,
  onLockLost: () => {},
  ...options,
});

async function lock(client: Client, ttlMs: number, options: LockOptions): Promise<Lock> {
  const { Mutex } = await import('redis-semaphore');
  return locks((name) => new Mutex(ioredisOf(client), name, optionsOf(ttlMs, options)));
}

async function quorum(nodes: readonly Redis[], options: LockOptions): Promise<Lock> {
  const { RedlockMutex } = await import('redis-semaphore');
  return locks((name) => new RedlockMutex([...nodes], name, optionsOf(TTL_MS, options)));
}

async function semaphore(client: Client, { ttlMs, limit, renew }: SemaphoreOptions, options: LockOptions) {
  const { Semaphore } = await import('redis-semaphore');
  const all = optionsOf(ttlMs, { ...options, ...(!renew && { refreshInterval: 0 }) });
  const of = (name: string) => new Semaphore(ioredisOf(client), name, limit, all);
  return {
    ...locks(of),
    async tryAcquire(name: string) {
      const hold = new Semaphore(ioredisOf(client), name, limit, { ...all, acquireAttemptsLimit: 1 });
      return (await hold.tryAcquire()) ? () => hold.release() : undefined;
    },
  };
}

const withOptions = (options: LockOptions) =>
  ({
    role: 'rival',
    package: 'redis-semaphore',
    on: ['ioredis5', 'ioredis6'],
    commands: { set: 1, evalsha: 1 },
    lock: (client, { ttlMs }) => lock(client, ttlMs, options),
    quorum: (nodes) => quorum(nodes, options),
    semaphore: (client, given) => semaphore(client, given, options),
  }) satisfies Partial<Contender>;

export const redisSemaphore: Contender = {
  ...withOptions({}),
  id: 'redis-semaphore',
  label: 'redis-semaphore',
};

export const redisSemaphoreBest: Contender = {
  ...withOptions(BEST),
  id: 'redis-semaphore-best',
  label: 'redis-semaphore, retries 2 ms',
  onlyWaiting: true,
};
