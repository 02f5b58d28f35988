/* What a run measured. `--json` prints exactly this. */

export interface Sale {
  stock: number;
  sold: number;
  oversold: number;
  /** What the buyers of sold-out tickets get back. */
  toRefund: number;
  currency: string;
  tookMs: number;
}

export interface LockedSale extends Sale {
  /** Releases that made a waiter the holder. */
  handOffs: number;
  /** From just before a release until the next holder's code runs. */
  medianMs: number;
  p99Ms: number;
  /** Holds that began before the one before them was over. */
  overlaps: number;
}

export interface Killed {
  ttlMs: number;
  /** Left of the dead holder's lease at the kill, as the server said right before it. */
  leftMs: number | undefined;
  nextAfterMs: number;
}

export interface Stopped {
  ttlMs: number;
  stoppedForMs: number;
  /** From the stop until the next one had the lock. */
  nextAfterMs: number;
  refused: boolean;
  /** The late writer's. */
  token: number;
  /** What the till had seen by then. */
  highest: number;
}

export interface Result {
  server: string | null;
  workers: 'processes' | 'tasks';
  withoutLock: Sale;
  withLock: LockedSale;
  killed: Killed | null;
  stopped: Stopped | null;
  /** Why scenes were left out. */
  skipped: string | null;
  tookMs: number;
}

/** What a lock must not let happen, if it did happen in this run. */
export function broken({ withLock, stopped }: Result): string | undefined {
  if (withLock.oversold !== 0) return `with the lock ${withLock.oversold} tickets too many were sold`;
  if (withLock.overlaps > 0) return `the lock had two holders at once, ${withLock.overlaps} times`;
  if (stopped && !stopped.refused) return 'the stopped worker was not refused';
  return undefined;
}
