import type { Contender } from './contender.ts';

/** It opens its own two connections, and has no setting for waiting: who waits hears of the release by pub/sub. One object is one hold. */
export const nodeRedisson: Contender = {
  id: 'node-redisson',
  label: 'node-redisson',
  role: 'rival',
  package: 'node-redisson',
  on: ['ioredis5'],
  commands: { evalsha: 1, del: 0.5 },
  async lock({ port }, { ttlMs }) {
    const { Redisson } = await import('node-redisson');
    const options = { host: '127.0.0.1', port };
    const redisson = new Redisson({ redis: { options }, lockWatchdogTimeout: BigInt(ttlMs) });
    redisson.redis.on('error', () => {});
    return {
      async acquire(name) {
        const lock = redisson.getLock(name);
        await lock.lock();
        return () => lock.unlock();
      },
      close: () => redisson.quit(),
    };
  },
};
