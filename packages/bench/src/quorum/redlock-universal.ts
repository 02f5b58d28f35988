import type { Redis } from 'ioredis';
import { createRedlock, IoredisAdapter } from 'redlock-universal';
import type { Contender, Opened } from './contender.ts';

interface Retries {
  readonly retryAttempts: number;
  readonly retryDelay: number;
}

/** redis-semaphore's delay, for about as long as the others wait by default. Of 2, 5, 10, 20 and 50 ms it did best. */
const PATIENT: Retries = { retryDelay: 10, retryAttempts: 1_000 };

function open(nodes: readonly Redis[], name: string, retries?: Retries): Opened {
  const adapters = nodes.map((node) => new IoredisAdapter(node));
  const lock = createRedlock({ adapters, key: name, ...retries });
  return {
    acquire: async () => {
      const handle = await lock.acquire();
      return () => lock.release(handle);
    },
  };
}

export const redlockUniversal: Contender = {
  id: 'redlock-universal',
  label: 'redlock-universal 0.8',
  open: async (nodes, name) => open(nodes, name),
};

export const patientRedlockUniversal: Contender = {
  id: 'redlock-universal-patient',
  label: 'redlock-universal 0.8, retries 1000 × 10 ms',
  open: async (nodes, name) => open(nodes, name, PATIENT),
};
