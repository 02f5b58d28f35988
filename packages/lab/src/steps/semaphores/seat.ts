/** What the actors of all semaphores do with a seat, and the state in which they find it. */
import { EPOCH_MS } from '../../explore/actor.ts';
import type { Command, ExploredActor } from '../../explore/scenario.ts';

/** After so long without a refresh a seat counts as given up. */
export const TIMEOUT_MS = 10_000;

/** The sorted set by time, and what the fair semaphore has besides. */
export const KEYS = { time: 'seats', owner: 'seats:owner', counter: 'seats:counter' } as const;

export function isBelow(rank: unknown, limit: number): boolean {
  // No rank: the entry was pruned already.
  return rank !== null && Number(rank) < limit;
}

/** Gives back the seat; of no meaning to whoever has none. */
type Release = (actor: ExploredActor, id: string) => Promise<unknown>;
type Acquire = (actor: ExploredActor) => Promise<string | undefined>;

/** Takes a seat, works, gives it back. It works until the seat is free, and not a command longer. */
export function visits(acquire: Acquire, release: Release) {
  return async (actor: ExploredActor): Promise<boolean> => {
    const id = await acquire(actor);
    if (id === undefined) return false;
    actor.enter();
    await release(actor, id);
    actor.leave();
    return true;
  };
}

/** Takes a seat and has it to the end of the order. */
export function stays(acquire: Acquire) {
  return async (actor: ExploredActor): Promise<boolean> => {
    if ((await acquire(actor)) === undefined) return false;
    return sits(actor);
  };
}

/** Has a seat from the beginning, by the setup, and sends nothing. */
export async function sits(actor: ExploredActor): Promise<never> {
  actor.enter();
  return new Promise(() => {});
}

/** In the fair semaphore, `id` took its seat so long ago. */
export function seated(id: string, { agoMs }: { agoMs: number }): readonly Command[] {
  return [
    ['ZADD', KEYS.time, EPOCH_MS - agoMs, id],
    ['ZADD', KEYS.owner, 1, id],
    ['SET', KEYS.counter, 1],
  ];
}
