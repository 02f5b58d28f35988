/**
 * Refreshing a seat of the fair semaphore: ZADD with the time of now. That it *added* the entry says that the entry was gone, and the
 * seat with it. Then there is an entry that stands for no seat, and it must go again.
 */
import type { ExploredActor } from '../../explore/scenario.ts';
import { releaseFair } from './fair.ts';
import { KEYS } from './seat.ts';

/** Each tells whether the seat is still one's own. */
export type Refresh = (actor: ExploredActor, id: string) => Promise<boolean>;

export const undoes: Refresh = async (actor, id) => {
  const held = await doesNotUndo(actor, id);
  if (!held) await releaseFair(actor, id);
  return held;
};

/**
 * With XX nothing is ever added, so there is nothing to undo; CH makes the reply say whether the entry was there to be changed. A second
 * refresh within the same millisecond changes nothing and sounds like a loss: a holder stops that need not.
 */
export const cannotAdd: Refresh = async (actor, id) => {
  return (await actor.send('ZADD', KEYS.time, 'XX', 'CH', actor.now(), id)) === 1;
};

/** Wrong: the entry stays. */
export const doesNotUndo: Refresh = async (actor, id) => {
  const added = await actor.send('ZADD', KEYS.time, actor.now(), id);
  return added === 0;
};

/** Wrong: takes any answer for a yes. */
export const doesNotLook: Refresh = async (actor, id) => {
  await doesNotUndo(actor, id);
  return true;
};
