import { RedlockMutex } from 'redis-semaphore';
import type { Contender } from './contender.ts';

export const redisSemaphore: Contender = {
  id: 'redis-semaphore',
  label: 'redis-semaphore 5.8',
  open: async (nodes, name) => ({
    acquire: async () => {
      // One object is one hold, as in its README.
      const mutex = new RedlockMutex([...nodes], name);
      await mutex.acquire();
      return () => mutex.release();
    },
  }),
};
