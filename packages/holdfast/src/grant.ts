/** What a wait and a lease are made of: how a waiter stands in the queue, and what a grant gives. */

/** How a waiter stands in the queue. */
export interface QueueEntry {
  readonly holderId: string;
  /** How long the lease lasts that a hand-off writes for it; the first renewal makes it full. */
  readonly leaseMs: number;
  /** Where its process listens. */
  readonly channel: string;
}

/** What makes a lease: who got it, which token, since when, for how long. */
export interface Granted {
  readonly holderId: string;
  readonly fencingToken: number;
  /** Not later than the moment at which the server began the lease, on our clock. */
  readonly startedAt: number;
  readonly leaseMs: number;
  /** By the release before it, rather than found free. */
  readonly handedOff: boolean;
  /** Of whoever waited, where some server's queue may still know it. */
  readonly entry?: QueueEntry | undefined;
  /** Of a semaphore that has them. */
  readonly slots?: readonly number[] | undefined;
}

/**
 * - `released`: it was ours until now
 * - `expired`: its time had run out, and nobody else holds it
 * - `lost`: it was gone before, and may be somebody else's
 */
export type ReleaseOutcome = 'released' | 'expired' | 'lost';

/**
 * - `released`: it was held until now, and is free
 * - `handedOff`: it was held until now, and the next waiter is the holder
 * - `expired`: there is no such lease (any more)
 * - `lost`: somebody else holds it meanwhile; nothing was done
 */
export type ForceReleaseOutcome = 'released' | 'handedOff' | 'expired' | 'lost';
