import type { LockOptions, lock as Take } from 'simple-redis-mutex';
import type { Client } from '../clients.ts';
import type { Contender, Lock } from './contender.ts';

/** Behind its message; its default is ten seconds. */
const BEST: LockOptions = { pollingInterval: 100 };

async function open(client: Client, options: LockOptions): Promise<Lock> {
  if (client.kind !== 'node-redis') throw new Error('needs node-redis');
  const { lock } = await import('simple-redis-mutex');
  const redis = client.redis as unknown as Parameters<typeof Take>[0];
  return { acquire: (name) => lock(redis, name, options) };
}

const common = {
  role: 'rival',
  package: 'simple-redis-mutex',
  on: ['node-redis'],
  commands: { set: 0.5, incr: 1, evalsha: 1 },
} as const;

export const simpleRedisMutex: Contender = {
  ...common,
  id: 'simple-redis-mutex',
  label: 'simple-redis-mutex',
  lock: (client, { ttlMs }) => open(client, { timeout: ttlMs }),
};

export const simpleRedisMutexBest: Contender = {
  ...common,
  id: 'simple-redis-mutex-best',
  label: 'simple-redis-mutex, polls 100 ms',
  onlyWaiting: true,
  lock: (client, { ttlMs }) => open(client, { ...BEST, timeout: ttlMs }),
};
