/** Waiters by ticket. */
import type { QueueEntry } from '../store/store.ts';

export interface Queued<E extends QueueEntry = QueueEntry> {
  readonly entry: E;
  readonly ticket: number;
  readonly permits: number;
  readonly slots: boolean;
}

export class MemoryQueue<E extends QueueEntry = QueueEntry> {
  private waiters: Queued<E>[] = [];

  get length(): number {
    return this.waiters.length;
  }

  get first(): Queued<E> | undefined {
    return this.waiters[0];
  }

  get all(): readonly Queued<E>[] {
    return this.waiters;
  }

  /** Behind all others, or at its old place. */
  join(entry: E, ticket: string | undefined, nowUs: number, permits = 1, slots = false) {
    const known = this.waiters.find((queued) => queued.entry.holderId === entry.holderId);
    const last = this.waiters.at(-1)?.ticket ?? 0;
    const place = known?.ticket ?? (ticket === undefined ? Math.max(nowUs, last + 1) : Number(ticket));
    if (known === undefined) {
      this.waiters.push({ entry, ticket: place, permits, slots });
      this.waiters.sort((a, b) => a.ticket - b.ticket);
    }
    return { ticket: String(place), isNew: known === undefined };
  }

  rankOf({ holderId }: QueueEntry): number {
    return this.waiters.findIndex(({ entry }) => entry.holderId === holderId);
  }

  leave(holderId: string | undefined): boolean {
    const before = this.waiters.length;
    this.waiters = this.waiters.filter(({ entry }) => entry.holderId !== holderId);
    return this.waiters.length < before;
  }
}
