/** What actors do with one lock, and what is looked for at the end. */
import type { Actor, End, Happening } from '../../explore/scenario.ts';
import { buy } from '../0-check-then-act.ts';
import type { HandMadeLock } from './hand-made.ts';

const LOCK = 'lock';
/** Identifiers are readable and the same in every order: the actor's name and a number. */
const LOCK_OF_A = 'a1';

type Play = (actor: Actor) => Promise<unknown>;

/** Buys a ticket (step 0) under the lock, and gives the lock back. */
export const buyUnder =
  (lock: HandMadeLock, tries = 2): Play =>
  async (actor) => {
    const id = await lock.acquire(actor, LOCK, tries);
    if (id === undefined) return 'in vain';
    actor.enter();
    const bought = await buy(actor);
    actor.leave();
    await lock.release(actor, LOCK, id);
    return bought;
  };

/** For orders that are over before the lock is given back. */
export const keep = (lock: HandMadeLock): HandMadeLock => ({ ...lock, release: async () => false });

/** Only waits for the lock. */
export const waitFor =
  (lock: HandMadeLock, tries = 2): Play =>
  async (actor) =>
    (await lock.acquire(actor, LOCK, tries)) ?? 'in vain';

/** Takes the lock and gives it back at once. */
export const takeAndFree =
  (lock: HandMadeLock): Play =>
  async (actor) => {
    const id = await lock.acquire(actor, LOCK, 1);
    if (id !== undefined) await lock.release(actor, LOCK, id);
  };

/** Takes the lock and looks once whether it is still there. */
export const takeAndLook =
  (lock: HandMadeLock): Play =>
  async (actor) => {
    const id = await lock.acquire(actor, LOCK, 2);
    if (id === undefined) return 'in vain';
    actor.enter();
    if ((await actor.send('GET', LOCK)) === id) return 'kept';
    actor.note('its lock is gone');
    return 'robbed';
  };

/** Only the lock of A ends before its release. So if B's is gone, A has freed it. */
export const LEASE_OF_A_ENDS: Happening = { is: 'expiry', key: LOCK, of: LOCK_OF_A };
export const LOCK_OF_A_IS_REMOVED: Happening = { is: 'removal', key: LOCK, of: LOCK_OF_A };

export function robbed({ outcomes: { B } }: End): string | undefined {
  return B?.is === 'done' && B.value === 'robbed' ? 'A has freed the lock of B, who still works' : undefined;
}

/** A died with the lock, and B tried in vain: so will everybody. */
export async function keptForEver({ outcomes: { A, B }, read }: End): Promise<string | undefined> {
  if (A?.is !== 'crashed' || B?.is !== 'done' || B.value !== 'in vain') return undefined;
  const [holder, ttl] = [await read('GET', LOCK), await read('TTL', LOCK)];
  if (holder !== LOCK_OF_A || ttl !== -1) return undefined;
  return 'A is dead, its lock has no expiry, and nobody ever gets it';
}
