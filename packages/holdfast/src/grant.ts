/** What makes a lease: who got it, which token, since when, for how long. */
export interface Granted {
  readonly holderId: string;
  readonly fencingToken: number;
  /** Not later than the moment at which the server began the lease, on our clock. */
  readonly startedAt: number;
  readonly leaseMs: number;
  /** By the release before it, rather than found free. */
  readonly handedOff: boolean;
  /** Of a semaphore that has them. */
  readonly slots?: readonly number[] | undefined;
}

/**
 * - `released`: it was ours until now
 * - `expired`: its time had run out, and nobody else holds it
 * - `lost`: it was gone before, and may be somebody else's
 */
export type ReleaseOutcome = 'released' | 'expired' | 'lost';
