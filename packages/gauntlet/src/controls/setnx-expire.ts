/** SETNX, then EXPIRE: whoever dies in between leaves a lock that never ends. Some die exactly there. */
import type { Control } from './control.ts';
import { handMade } from './hold.ts';
import { newHolder, newStamp, polling } from './polling.ts';

const DEATHS = 0.02;
const COMPARE_AND_DELETE = `if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0`;

export const setnxExpire: Control = (redis, { ttlMs }) =>
  polling(async (name) => {
    const holder = newHolder();
    if ((await redis.setnx(name, holder)) !== 1) return undefined;
    if (Math.random() < DEATHS) process.kill(process.pid, 'SIGKILL');
    await redis.pexpire(name, ttlMs);
    return handMade(
      ttlMs,
      newStamp(),
      async () => (await redis.eval(COMPARE_AND_DELETE, 1, name, holder)) === 1,
    );
  });
