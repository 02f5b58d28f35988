/** A counting semaphore on a sorted set whose scores are the client's wall clock; every second process is ahead by a ttl, the others behind. */
import type { Control } from './control.ts';
import { handMade } from './hold.ts';
import { newHolder, newStamp, polling } from './polling.ts';

const TAKE = `redis.call('zremrangebyscore', KEYS[1], '-inf', ARGV[1] - ARGV[2])
if redis.call('zcard', KEYS[1]) >= tonumber(ARGV[4]) then return 0 end
redis.call('zadd', KEYS[1], ARGV[1], ARGV[3])
redis.call('pexpire', KEYS[1], 10000)
return 1`;

export const clientClockSemaphore: Control = (redis, { ttlMs, limit, odd }) => {
  const skewMs = odd ? ttlMs : -ttlMs;
  return polling(async (name) => {
    const holder = newHolder();
    if ((await redis.eval(TAKE, 1, name, Date.now() + skewMs, ttlMs, holder, limit)) !== 1) return undefined;
    const hold = handMade(ttlMs, newStamp(), async () => (await redis.zrem(name, holder)) === 1);
    return { ...hold, slots: [] };
  });
};
