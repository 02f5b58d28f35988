/** The library's lock with its defaults: those that wait are served in their order by the release. */
import { AcquireTimeoutError, Holdfast } from 'holdfast';
import type { Redis } from 'ioredis';
import type { Mutex } from './locked.ts';

export function holdfastLock(redis: Redis): Mutex {
  const holdfast = new Holdfast(redis);
  return {
    async acquire(name, waitMs) {
      try {
        const lease = await holdfast.lock(name).acquire({ waitMs });
        return async () => {
          const outcome = await lease.release();
          if (outcome !== 'released') throw new Error(`${name} ${outcome} while it was held`);
        };
      } catch (error) {
        if (error instanceof AcquireTimeoutError) return undefined;
        throw error;
      }
    },
    close: () => holdfast.close(),
  };
}
