import type { Redis } from 'ioredis';
import type { createLock } from 'redlock-universal';
import type { Client } from '../clients.ts';
import { type Contender, type Lock, TTL_MS } from './contender.ts';

interface Retries {
  readonly retryAttempts: number;
  readonly retryDelay: number;
}

/** For about as long as Holdfast waits by default. Over three servers 10 ms did best of 2, 5, 10, 20 and 50. */
const PATIENT: Retries = { retryDelay: 10, retryAttempts: 1_000 };

/** A lock object is made for one name, and may be used again. */
function locks(lockOf: (key: string) => ReturnType<typeof createLock>): Lock {
  const made = new Map<string, ReturnType<typeof createLock>>();
  return {
    async acquire(name) {
      const lock = made.get(name) ?? lockOf(name);
      made.set(name, lock);
      const handle = await lock.acquire();
      return () => lock.release(handle);
    },
  };
}

async function open(client: Client, ttl: number, retries?: Retries): Promise<Lock> {
  const { createLock, IoredisAdapter, NodeRedisAdapter } = await import('redlock-universal');
  const adapter =
    client.kind === 'ioredis' ? new IoredisAdapter(client.redis) : new NodeRedisAdapter(client.redis);
  return locks((key) => createLock({ adapter, key, ttl, ...retries }));
}

async function openQuorum(nodes: readonly Redis[], retries?: Retries): Promise<Lock> {
  const { createRedlock, IoredisAdapter } = await import('redlock-universal');
  const adapters = nodes.map((node) => new IoredisAdapter(node));
  return locks((key) => createRedlock({ adapters, key, ttl: TTL_MS, ...retries }));
}

const withRetries = (retries?: Retries) =>
  ({
    role: 'rival',
    package: 'redlock-universal',
    on: ['ioredis5', 'ioredis6', 'node-redis'],
    commands: { set: 1, evalsha: 1, eval: 1 },
    lock: (client, { ttlMs }) => open(client, ttlMs, retries),
    quorum: (nodes) => openQuorum(nodes, retries),
  }) satisfies Partial<Contender>;

export const redlockUniversal: Contender = {
  ...withRetries(),
  id: 'redlock-universal',
  label: 'redlock-universal',
};

export const redlockUniversalBest: Contender = {
  ...withRetries(PATIENT),
  id: 'redlock-universal-best',
  label: 'redlock-universal, retries 10 ms',
  onlyWaiting: true,
};
