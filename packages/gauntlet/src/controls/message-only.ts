/** A lock whose waiters wait for the message of a release, and for nothing else: who misses it, or whose holder dies, waits for ever. */
import type { Redis } from 'ioredis';
import type { Hold } from '../worker/subject.ts';
import type { Control } from './control.ts';
import { handMade } from './hold.ts';
import { newHolder, newStamp, timedOut } from './polling.ts';

const RELEASE = `if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('del', KEYS[1])
redis.call('publish', 'free:' .. KEYS[1], '')
return 1`;

export const messageOnly: Control = (redis, { ttlMs }) => {
  const ears = redis.duplicate();
  ears.on('error', () => {});
  const waiting = new Map<string, Set<() => void>>();
  ears.on('message', (channel: string) => {
    for (const wake of waiting.get(channel) ?? []) wake();
  });

  async function tryOnce(name: string): Promise<Hold | undefined> {
    const holder = newHolder();
    if ((await redis.set(name, holder, 'PX', ttlMs, 'NX')) !== 'OK') return undefined;
    return handMade(ttlMs, newStamp(), async () => (await redis.eval(RELEASE, 1, name, holder)) === 1);
  }

  return {
    async ask(name, { waitMs = 0 }) {
      const until = performance.now() + waitMs;
      while (performance.now() < until) {
        const message = heard(ears, waiting, `free:${name}`, until);
        await message.listening;
        const hold = await tryOnce(name);
        if (hold !== undefined) return hold;
        await message.came;
      }
      throw timedOut(name);
    },
  };
};

/** Resolves at the next message of that channel, or when the wait is over. */
function heard(ears: Redis, waiting: Map<string, Set<() => void>>, channel: string, until: number) {
  const wakes = waiting.get(channel) ?? new Set();
  waiting.set(channel, wakes);
  const came = new Promise<void>((resolve) => {
    const timer = setTimeout(done, Math.max(0, until - performance.now()));
    function done(): void {
      clearTimeout(timer);
      wakes.delete(done);
      resolve();
    }
    wakes.add(done);
  });
  return { listening: ears.subscribe(channel), came };
}
