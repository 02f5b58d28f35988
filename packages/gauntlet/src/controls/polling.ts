/** Tries again and again until it has the lock, or the time is over. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Ask, Contended, Hold } from '../worker/subject.ts';

const EVERY_MS = 5;

export function polling(tryOnce: (name: string, ask: Ask) => Promise<Hold | undefined>): Contended {
  return {
    async ask(name, ask) {
      const until = performance.now() + (ask.waitMs ?? 0);
      for (;;) {
        const hold = await tryOnce(name, ask);
        if (hold !== undefined || ask.waitMs === undefined) return hold;
        if (performance.now() >= until) throw timedOut(name);
        await sleep(EVERY_MS);
      }
    },
  };
}

export const timedOut = (name: string): Error =>
  Object.assign(new Error(`no ${name} in time`), { name: 'AcquireTimeoutError' });

let holders = 0;
/** Unique among processes. */
export const newHolder = (): string => `${process.pid}:${++holders}`;

/** Microseconds since the epoch by the client's clock, and above the last: good enough to tell holds apart. */
let last = 0;
export function newStamp(): number {
  last = Math.max(last + 1, Date.now() * 1000);
  return last;
}
