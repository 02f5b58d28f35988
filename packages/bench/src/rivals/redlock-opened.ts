/** redlock 5 and its fork have the same algorithm and the same API. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Lock } from './contender.ts';

interface Redlock {
  acquire(resources: string[], durationMs: number): Promise<{ release(): Promise<unknown> }>;
}

export function opened(redlock: Redlock, ttlMs: number): Lock {
  return {
    async acquire(name) {
      const lock = await redlock.acquire([name], ttlMs);
      return () => lock.release();
    },
  };
}

const MAX_PAUSE_MS = 20;

/**
 * Over several servers. A try that won no majority keeps the votes it got while redlock waits to try again, and its own votes then count
 * against it. With many waiters each node soon belongs to another one and nobody gets on until somebody gives up, whatever the
 * delay. What helps is to make every try a call of its own, since a call that fails gives its votes back.
 */
export function singleTries({ acquire }: Lock): Lock {
  return {
    async acquire(name) {
      for (;;) {
        try {
          return await acquire(name);
        } catch {
          await sleep(Math.random() * MAX_PAUSE_MS);
        }
      }
    },
  };
}
