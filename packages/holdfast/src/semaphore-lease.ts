/** One hold of one or more permits of a semaphore. */
import type { Granted } from './grant.ts';
import type { Hold } from './hold.ts';
import { Lease } from './lease.ts';

/** One of the numbers 0 to limit-1, held by one lease at a time. */
export interface Slot {
  readonly slot: number;
  /** Grows with every lease that gets this slot: guard what belongs to the slot with it, as with a lock's. */
  readonly fencingToken: number;
}

export class SemaphoreLease extends Lease {
  readonly permits: number;
  /** With `slots: true` or over a quorum one per permit, the lowest first; else empty. */
  readonly slots: readonly Slot[];

  /** @internal */
  constructor(hold: Hold, permits: number, { fencingToken, slots = [] }: Granted) {
    super(hold);
    this.permits = permits;
    this.slots = Object.freeze([...slots].sort((a, b) => a - b).map((slot) => ({ slot, fencingToken })));
  }

  protected override shown(): object {
    const slots = this.slots.length > 0 ? { slots: this.slots.map(({ slot }) => slot) } : {};
    return { permits: this.permits, ...slots };
  }
}
