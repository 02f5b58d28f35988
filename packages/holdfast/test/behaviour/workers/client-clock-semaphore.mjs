/**
 * How counting semaphores on Redis are often written, for the observer to object to: the scores are the client's wall clock, so a
 * process whose clock is ahead drops everybody's permits, and the token is that clock too. For ioredis; waits by polling.
 */
import { setTimeout as sleep } from 'node:timers/promises';

const TAKE = `redis.call('zremrangebyscore', KEYS[1], '-inf', ARGV[1] - ARGV[2])
if redis.call('zcard', KEYS[1]) + ARGV[4] > tonumber(ARGV[5]) then return 0 end
for i = 1, ARGV[4] do redis.call('zadd', KEYS[1], ARGV[1], ARGV[3] .. ':' .. i) end
return 1`;

let leases = 0;

export function clientClockSemaphore(client, name, { limit, ttlMs }) {
  async function tryAcquire({ permits }) {
    const id = `${process.pid}:${++leases}`;
    const now = Date.now();
    if ((await client.eval(TAKE, 1, name, now, ttlMs, id, permits, limit)) !== 1) return undefined;
    const endsAt = performance.now() + ttlMs;
    const members = Array.from({ length: permits }, (_, i) => `${id}:${i + 1}`);
    return {
      fencingToken: now,
      slots: [],
      remainingMs: () => endsAt - performance.now(),
      release: async () => ((await client.zrem(name, ...members)) > 0 ? 'released' : 'lost'),
    };
  }
  async function acquire({ waitMs, ...options }) {
    for (const until = performance.now() + waitMs; performance.now() < until; await sleep(5)) {
      const lease = await tryAcquire(options);
      if (lease !== undefined) return lease;
    }
    throw Object.assign(new Error('busy'), { name: 'AcquireTimeoutError' });
  }
  return { tryAcquire, acquire };
}
