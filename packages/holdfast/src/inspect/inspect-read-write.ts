/** Who reads, who writes and who waits, for people and dashboards. Reads only, and never shows a holderId. */

import { cardOf, type ProcessCard } from '../cards.ts';
import type { Engine } from '../engine.ts';
import type { ReadWriteMode, StoredReadWrite } from '../store/store.ts';

export interface ReadWriteInspection {
  readonly name: string;
  readonly state: 'free' | 'reading' | 'writing';
  /** How many read; one that may upgrade is not among them. */
  readonly readers: number;
  /** Live leases, the first to end first. A snapshot up to 1,000, then read in pages. */
  readonly leases: readonly ReadWriteHolder[];
  readonly queueLength: number;
  /** The first 100 of the queue. */
  readonly queue: readonly ReadWriteWaiter[];
}

export interface ReadWriteHolder {
  /** `host`, `pid` and `label` are missing when its card is gone (a flush, an hour after its last use). */
  readonly holder: ProcessCard;
  readonly mode: ReadWriteMode;
  readonly fencingToken: number;
  /** How long the lease has lasted, by the server's clock, in ms; an upgrade or downgrade changes nothing about that. */
  readonly heldForMs: number;
  /** Until it ends when nobody renews it, in ms. */
  readonly remainingMs: number;
}

export interface ReadWriteWaiter {
  readonly waiter: ProcessCard;
  /** `upgrade`: a lease that may upgrade waits until the readers have left. */
  readonly wants: ReadWriteMode | 'upgrade';
  readonly waitedMs: number;
}

export async function inspectReadWrite(
  engine: Engine,
  readWrite: StoredReadWrite,
): Promise<ReadWriteInspection> {
  const { leases, waiters, queueLength, serverUs } = await readWrite.inspect(engine.limits());
  const ids = [...new Set([...leases, ...waiters].map(({ clientId }) => clientId))];
  const cards = await Promise.all(ids.map((id) => cardOf(engine, id)));
  const known = new Map(cards.map((card) => [card.clientId, card]));
  const cardFor = (clientId: string) => known.get(clientId) ?? { clientId };
  const writing = leases.some(({ mode }) => mode === 'write');
  return {
    name: readWrite.name,
    state: leases.length === 0 ? 'free' : writing ? 'writing' : 'reading',
    readers: leases.filter(({ mode }) => mode === 'read').length,
    leases: leases.map(({ clientId, sinceUs, ...lease }) => ({
      holder: cardFor(clientId),
      ...lease,
      heldForMs: Math.max(0, (serverUs - sinceUs) / 1000),
    })),
    queueLength,
    queue: waiters.map(({ clientId, ...waiter }) => ({ waiter: cardFor(clientId), ...waiter })),
  };
}
