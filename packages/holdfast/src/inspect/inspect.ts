/** Who holds a lock, for people and dashboards. Reads only, and never shows a holderId. */
import { cardsOf, type ProcessCard } from '../cards.ts';
import type { Engine } from '../engine.ts';
import type { WaitLink } from '../errors.ts';
import type { StoredLock } from '../store/store.ts';
import { waitsFor } from './waits-for.ts';

export interface Inspection {
  readonly name: string;
  readonly state: 'held' | 'free';
  /** Held by another library, which says nothing about itself. */
  readonly foreign: boolean;
  /** Which process holds it; `host`, `pid` and `label` are missing when its card is gone (a flush, an hour after its last use). */
  readonly holder: ProcessCard | undefined;
  /** How long the lease has lasted, by the server's clock, in ms. */
  readonly heldForMs: number | undefined;
  /** Until it ends when nobody renews it, in ms; `undefined` when free, or when a foreign lock has no expiry. */
  readonly remainingMs: number | undefined;
  /** The last token given out for this name, when it is known. */
  readonly fencingToken: number | undefined;
  readonly queueLength: number;
  /**
   * What its holders wait for while they hold it, what the holders of that wait for, and so on: the graph in which a circle is a deadlock. Noted by waits of
   * whoever holds something (see `within`); empty when nobody does.
   */
  readonly waits: readonly WaitLink[];
  /** The first 100 of the queue. */
  readonly queue: readonly LockWaiter[];
}

export interface LockWaiter {
  readonly waiter: ProcessCard;
  readonly waitedMs: number;
}

export async function inspect(engine: Engine, lock: StoredLock): Promise<Inspection> {
  const seen = await lock.inspect(engine.limits());
  const held = seen.state !== 'free';
  const known = seen.state === 'ours' ? seen : undefined;
  const ids = seen.waiters.map(({ clientId }) => clientId);
  const [cards, waits] = await Promise.all([
    cardsOf(engine, known === undefined ? ids : [known.clientId, ...ids]),
    known ? waitsFor(engine, lock) : [],
  ]);
  return {
    name: lock.name,
    state: held ? 'held' : 'free',
    foreign: seen.state === 'foreign',
    holder: known && cards(known.clientId),
    // A token is the time of its grant in µs (or a little later, when the clock stepped back).
    heldForMs:
      known?.fencingToken === undefined
        ? undefined
        : Math.max(0, (seen.serverUs - known.fencingToken) / 1000),
    remainingMs: held && seen.remainingMs >= 0 ? seen.remainingMs : undefined,
    fencingToken: seen.fencingToken,
    queueLength: seen.queueLength,
    waits,
    queue: seen.waiters.map(({ clientId, waitedMs }) => ({ waiter: cards(clientId), waitedMs })),
  };
}
