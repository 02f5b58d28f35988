/** A short lock around a whole acquisition: the lock of step 3, released by compare-and-delete. */
import type { ExploredActor } from '../../explore/scenario.ts';
import { acquireFair, type FairWay, releaseFair } from './fair.ts';

export const GUARD = 'guard';
const LEASE_MS = 10_000;
/** The chapter tries for 10 ms. Here each try is a turn, and whoever gets no guard goes without a seat. */
const TRIES = 2;
const RELEASE =
  "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

/** As in the chapter: nobody looks whether the guard was still there at the end. */
export async function acquireGuarded(actor: ExploredActor, way: FairWay): Promise<string | undefined> {
  return (await guarded(actor, () => acquireFair(actor, way)))?.value;
}

/**
 * Keeps the seat only if the guard was still its own at the end. Tokens are unique, so it was its own all the time, and of any two that
 * keep a seat one had done before the other was counted.
 */
export async function acquireGuardedToTheEnd(
  actor: ExploredActor,
  way: FairWay,
): Promise<string | undefined> {
  const done = await guarded(actor, () => acquireFair(actor, way));
  if (done?.value === undefined || done.kept) return done?.value;
  await releaseFair(actor, done.value);
  return undefined;
}

async function guarded<T>(
  actor: ExploredActor,
  within: () => Promise<T>,
): Promise<{ value: T; kept: boolean } | undefined> {
  const token = actor.id();
  if (!(await enter(actor, token))) return undefined;
  const value = await within();
  const kept = (await actor.send('EVAL', RELEASE, 1, GUARD, token)) === 1;
  return { value, kept };
}

async function enter(actor: ExploredActor, token: string): Promise<boolean> {
  for (let tries = 0; tries < TRIES; tries++)
    if ((await actor.send('SET', GUARD, token, 'NX', 'PX', LEASE_MS)) === 'OK') return true;
  return false;
}
