/** SET NX PX, and a release that deletes whoever's lock is there. */
import type { Control } from './control.ts';
import { handMade } from './hold.ts';
import { newHolder, newStamp, polling } from './polling.ts';

export const blindDelete: Control = (redis, { ttlMs }) =>
  polling(async (name) => {
    const taken = await redis.set(name, newHolder(), 'PX', ttlMs, 'NX');
    if (taken !== 'OK') return undefined;
    return handMade(ttlMs, newStamp(), async () => (await redis.del(name)) === 1);
  });
