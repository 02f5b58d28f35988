/** The ways of giving back a lock: two wrong ones, and four that free it only while it is one's own. */
import type { Release } from './hand-made.ts';

/** How often somebody may touch the key between WATCH and EXEC before it gives up; a lock is touched rarely. */
const WATCH_TRIES = 3;

/** Wrong: it frees whatever is there. */
export const releaseBlindly: Release = async (actor, key) => (await actor.send('DEL', key)) === 1;

/** Wrong: what was read may be another's when it is deleted. Step 0 once more. */
export const releaseChecked: Release = async (actor, key, id) => {
  if ((await actor.send('GET', key)) !== id) return false;
  return (await actor.send('DEL', key)) === 1;
};

/** The chapter's: EXEC does nothing if anybody has touched the key since WATCH. */
export const releaseWatched: Release = async (actor, key, id) => {
  for (let left = WATCH_TRIES; left > 0; left--) {
    await actor.send('WATCH', key);
    if ((await actor.send('GET', key)) !== id) {
      await actor.send('UNWATCH');
      return false;
    }
    await actor.send('MULTI');
    await actor.send('DEL', key);
    if ((await actor.send('EXEC')) !== null) return true;
  }
  return false;
};

export const COMPARE_AND_DELETE = `return redis.call('get', KEYS[1]) == ARGV[1] and redis.call('del', KEYS[1]) or 0`;

/** A script runs as one command. */
export const releaseByScript: Release = async (actor, key, id) =>
  (await actor.send('EVAL', COMPARE_AND_DELETE, 1, key, id)) === 1;

/** The same in one command: Valkey 9.0 and later. */
export const releaseByDelifeq: Release = async (actor, key, id) =>
  (await actor.send('DELIFEQ', key, id)) === 1;

/** The same in one command: Redis 8.4 and later. */
export const releaseByDelex: Release = async (actor, key, id) =>
  (await actor.send('DELEX', key, 'IFEQ', id)) === 1;
