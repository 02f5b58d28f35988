/** A right lock whose token is a counter: INCR. A server that loses its data begins anew, and tokens go back. */
import type { Control } from './control.ts';
import { handMade } from './hold.ts';
import { newHolder, polling } from './polling.ts';

const ACQUIRE = `if not redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2], 'NX') then return 0 end
return redis.call('incr', KEYS[1] .. ':fence')`;
const RELEASE = `if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0`;

export const counterFence: Control = (redis, { ttlMs }) =>
  polling(async (name) => {
    const holder = newHolder();
    const token = Number(await redis.eval(ACQUIRE, 1, name, holder, ttlMs));
    if (token === 0) return undefined;
    return handMade(ttlMs, token, async () => (await redis.eval(RELEASE, 1, name, holder)) === 1);
  });
