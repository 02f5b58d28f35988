/** A way to keep two operations on the same thing from mixing. One per process, one operation at a time. */
import type { Redis } from 'ioredis';
import type { Listing } from '../data.ts';

/** How long an operation may take, as the chapter has it; then it is given up. */
export const LIST_WITHIN_MS = 5_000;
export const BUY_WITHIN_MS = 10_000;

export interface Way {
  /** Moves an item from the seller's inventory to the market. `late`: it did not come through in time. */
  list(listing: Listing): Promise<'listed' | 'late'>;
  /** Resolves with what was bought, at the price that was paid. `gone`: somebody else has it. */
  buy(buyer: string, member: string): Promise<Listing | 'gone' | 'late'>;
  close(): Promise<void>;
}

export interface WayOptions {
  /** A connection of its own. */
  readonly redis: Redis;
  /** Called whenever an operation has to begin again. */
  readonly retried: () => void;
}

export function notInInventory({ item, seller }: Listing): Error {
  return new Error(`${item} is not in the inventory of ${seller}`);
}
