/** What happens to keys, besides what the actors send. */
import type { Redis } from 'ioredis';
import type { Happening } from './scenario.ts';

type ToKey = Exclude<Happening, { is: 'crash' }>;

/** Does it, if the key is what it should be, and says who did what. */
export async function happenToKey(one: ToKey, redis: Redis): Promise<{ who: string; what: string }> {
  const { key, of } = one;
  const isIt = of === undefined || (await redis.get(key)) === of;
  return one.is === 'expiry' ? expiry(key, isIt, redis) : removal(key, isIt, redis);
}

async function expiry(key: string, isIt: boolean, redis: Redis) {
  const runsOut = isIt && (await redis.pttl(key)) > 0;
  if (runsOut) await redis.del(key);
  return { who: 'time', what: runsOut ? `the time of ${key} runs out` : `${key} has no time to run out` };
}

async function removal(key: string, isIt: boolean, redis: Redis) {
  const removed = isIt && (await redis.del(key)) > 0;
  return { who: 'operator', what: removed ? `deletes ${key} by hand` : `finds no ${key} to delete` };
}
