/**
 * Step 2. SETNX, then EXPIRE, so that the lock of a dead holder ends. Since a holder may die between the two, whoever fails to get the
 * lock looks whether it has an expiry, and sets it where it is missing.
 */
import type { Actor } from '../../explore/scenario.ts';
import { type HandMadeLock, LEASE_S } from './hand-made.ts';
import { releaseWatched } from './releases.ts';

/** Says of the reply to TTL that the expiry is missing; `undefined` does not look at all. */
export type Missing = ((ttl: number) => boolean) | undefined;

/**
 * As the chapter has it. Redis answered -1 for "no expiry" then too, but the Python client of those days made nothing (None) of it. Today
 * a client gives the number, which is true; `not ttl` is left with 0: under half a second.
 */
export const chapterCheck: Missing = (ttl) => !ttl;

/** TTL answers -1 for a key without expiry, and -2 for no key, to which EXPIRE does nothing. */
export const checkOfToday: Missing = (ttl) => ttl < 0;

export function lockWithTimeout(missing: Missing): HandMadeLock {
  return {
    async acquire(actor, key, tries) {
      const id = actor.id();
      for (let left = tries; left > 0; left--) {
        if ((await actor.send('SETNX', key, id)) === 1) {
          await actor.send('EXPIRE', key, LEASE_S);
          return id;
        }
        if (missing !== undefined) await repair(actor, key, missing);
      }
      return undefined;
    },
    release: releaseWatched,
  };
}

async function repair(actor: Actor, key: string, missing: (ttl: number) => boolean): Promise<void> {
  const ttl = Number(await actor.send('TTL', key));
  if (missing(ttl)) await actor.send('EXPIRE', key, LEASE_S);
}
