/** What happens to the processes that hold or wait. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../random.ts';
import { type Arena, aLease, type Fault } from './fault.ts';

/** A crew whose processes are just starting, or whose servers are cut off, has no holders for a while. */
const LOOKS = 100;

/** Somebody in that role under any of the names; looks again for a while. */
async function somebody(
  arena: Arena,
  random: Random,
  role: 'holders' | 'waiters',
): Promise<number | undefined> {
  for (let look = 0; look < LOOKS; look++) {
    const present = await Promise.all(arena.names.map((name) => arena.resource.present(name)));
    const running = new Set(arena.crew.running.map(({ pid }) => pid));
    const found = present.flatMap((one) => one[role]).filter((pid) => running.has(pid));
    if (found.length > 0) return random.pick(found);
    await sleep(5);
  }
  return undefined;
}

function killing(role: 'holders' | 'waiters', what: string): Fault {
  return {
    what,
    graceMs: aLease,
    async strike(arena, random) {
      const pid = await somebody(arena, random, role);
      return pid !== undefined && (await arena.crew.kill(pid)) ? { pid, killed: true } : undefined;
    },
  };
}

export const killHolder = killing('holders', 'holder killed (SIGKILL)');
export const killWaiter = killing('waiters', 'waiter killed (SIGKILL)');

export const stopHolder: Fault = {
  what: 'holder stopped past its ttl (SIGSTOP)',
  graceMs: aLease,
  async strike(arena, random) {
    const pid = await somebody(arena, random, 'holders');
    const forMs = arena.ttlMs * random.between(1.2, 2.7);
    return pid !== undefined && (await arena.crew.stop(pid, forMs)) ? { pid } : undefined;
  },
};
