/** Step 3. SET NX PX: the lock and its expiry come in one command, or not at all. */
import { type Acquire, type HandMadeLock, LEASE_S } from './hand-made.ts';
import { releaseByScript } from './releases.ts';

const acquire: Acquire = async (actor, key, tries) => {
  const id = actor.id();
  for (let left = tries; left > 0; left--) {
    if ((await actor.send('SET', key, id, 'NX', 'PX', LEASE_S * 1000)) === 'OK') return id;
  }
  return undefined;
};

export const oneCommandLock: HandMadeLock = { acquire, release: releaseByScript };
