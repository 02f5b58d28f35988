import { type Contender, TTL_MS } from './contender.ts';

/** The longest that a part waits; its default of ten seconds is less than 10,000 waiters with a hold take. */
const WAIT_MS = 600_000;

export const holdfast: Contender = {
  id: 'holdfast',
  label: 'Holdfast',
  role: 'holdfast',
  package: 'holdfast',
  on: ['ioredis5', 'ioredis6', 'node-redis'],
  commands: { set: 1, zadd: 1, evalsha: 1 },
  async lock({ redis }, { ttlMs }) {
    const { Holdfast } = await import('holdfast');
    const instance = new Holdfast(redis);
    return {
      async acquire(name) {
        const lease = await instance.lock(name, { ttlMs, waitMs: WAIT_MS }).acquire();
        return () => lease.release();
      },
      close: () => instance.close(),
    };
  },
  async quorum(nodes) {
    const { Holdfast } = await import('holdfast');
    const instance = new Holdfast(nodes);
    return {
      async acquire(name) {
        const lease = await instance.lock(name, { ttlMs: TTL_MS }).acquire();
        return () => lease.release();
      },
      close: () => instance.close(),
    };
  },
  async semaphore({ redis }, { limit, ttlMs, renew }) {
    const { Holdfast } = await import('holdfast');
    const instance = new Holdfast(redis);
    const of = (name: string) => instance.semaphore(name, { limit, ttlMs, renew, waitMs: WAIT_MS });
    return {
      async acquire(name) {
        const lease = await of(name).acquire();
        return () => lease.release();
      },
      async tryAcquire(name) {
        const lease = await of(name).tryAcquire();
        return lease && (() => lease.release());
      },
      close: () => instance.close(),
    };
  },
};
