/** Who holds permits and who waits, for people and dashboards. Reads only, and never shows a holderId. */
import { cardsOf, type ProcessCard } from '../cards.ts';
import type { Engine } from '../engine.ts';
import type { WaitLink } from '../errors.ts';
import type { StoredSemaphore } from '../store/store.ts';
import { waitsFor } from './waits-for.ts';

export interface SemaphoreInspection {
  readonly name: string;
  /** The stored one; `undefined` when none has been set, or nobody used the semaphore for a day. */
  readonly limit: number | undefined;
  /** Permits of all live leases; above the limit for as long as it takes after it was lowered. */
  readonly held: number;
  /** What could be acquired now by somebody who is first. */
  readonly free: number;
  /** Live leases, the first to end first. A snapshot up to 1,000, then read in pages. */
  readonly leases: readonly SemaphoreHolder[];
  readonly queueLength: number;
  /** The first 100 of the queue. */
  readonly queue: readonly SemaphoreWaiter[];
  /**
   * What its holders wait for while they hold it, what the holders of that wait for, and so on: the graph in which a circle is a deadlock. Noted by waits of
   * whoever holds something (see `within`); empty when nobody does.
   */
  readonly waits: readonly WaitLink[];
}

export interface SemaphoreHolder {
  /** `host`, `pid` and `label` are missing when its card is gone (a flush, an hour after its last use). */
  readonly holder: ProcessCard;
  readonly permits: number;
  /** With `slots`: which. */
  readonly slots: readonly number[];
  readonly fencingToken: number;
  /** How long the lease has lasted, by the server's clock, in ms. */
  readonly heldForMs: number;
  /** Until it ends when nobody renews it, in ms. */
  readonly remainingMs: number;
}

export interface SemaphoreWaiter {
  readonly waiter: ProcessCard;
  readonly permits: number;
  readonly waitedMs: number;
}

export async function inspectSemaphore(
  engine: Engine,
  semaphore: StoredSemaphore,
): Promise<SemaphoreInspection> {
  const { limit, held, leases, waiters, queueLength, serverUs } = await semaphore.inspect(engine.limits());
  const cardFor = await cardsOf(
    engine,
    [...leases, ...waiters].map(({ clientId }) => clientId),
  );
  return {
    name: semaphore.name,
    limit,
    held,
    free: Math.max(0, (limit ?? 0) - held),
    leases: leases.map(({ clientId, ...lease }) => ({
      holder: cardFor(clientId),
      ...lease,
      // A token is the time of its grant in µs (or a little later, when two were granted in one).
      heldForMs: Math.max(0, (serverUs - lease.fencingToken) / 1000),
    })),
    queueLength,
    waits: leases.length > 0 ? await waitsFor(engine, semaphore) : [],
    queue: waiters.map(({ clientId, ...waiter }) => ({ waiter: cardFor(clientId), ...waiter })),
  };
}
