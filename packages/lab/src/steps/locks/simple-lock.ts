/**
 * Step 1. SETNX: the key is the lock, its value tells whose. In the chapter the value is 128 random bits; here it is a name that
 * people can read.
 */
import type { Acquire, HandMadeLock } from './hand-made.ts';
import { releaseWatched } from './releases.ts';

const acquire: Acquire = async (actor, key, tries) => {
  const id = actor.id();
  for (let left = tries; left > 0; left--) {
    if ((await actor.send('SETNX', key, id)) === 1) return id;
  }
  return undefined;
};

export const simpleLock: HandMadeLock = { acquire, release: releaseWatched };
