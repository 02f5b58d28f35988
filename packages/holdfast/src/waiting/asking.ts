/** When a waiting process asks the server again although no message came: pure. */
import { backoffMs } from '../backoff.ts';

/** Another library's release tells nobody, so the front waiter looks for itself. */
const FOREIGN = { firstMs: 5, maxMs: 250 };
/** After a failure. */
const FAILED = { firstMs: 50, maxMs: 1_000 };
/** However long the lease in the way lasts: it may be deleted, and the queue must not be forgotten (it lives five minutes). */
const MAX_ASK_MS = 5_000;
const MAX_ASK_FAR_BACK_MS = 20_000;
/** A place further back asks later: whoever is in front serves the queue for all. */
const PER_RANK_MS = 5;
/** At an expiry not much later, though: all in front may be dead. */
const MAX_BEHIND_MS = 1_000;
const MIN_ASK_MS = 2;
/** The answer of PTTL for no key. A waiter is told so when one script call met more dead waiters than it may drop. */
const FREE_MS = -2;

export interface Seen {
  readonly remainingMs: number;
  readonly foreign: boolean;
  readonly rank: number;
}

/**
 * From the refused acquire's remaining time, for the first waiter of a process. A remaining time that is missing
 * (no expiry) or negative neither means for ever nor at once.
 * @param round how many asks in a row met a foreign or strange holder
 */
export function nextAskMs({ remainingMs, foreign, rank }: Seen, round: number, random: number): number {
  if (remainingMs === FREE_MS || (rank === 0 && (foreign || remainingMs < 0)))
    return backoffMs(round, FOREIGN, random);
  const expires = remainingMs >= 0 && remainingMs < MAX_ASK_MS;
  const behind = Math.min(rank * PER_RANK_MS, expires ? MAX_BEHIND_MS : MAX_ASK_FAR_BACK_MS - MAX_ASK_MS);
  return Math.max(0, expires ? remainingMs : MAX_ASK_MS) + MIN_ASK_MS + behind;
}

export function askAfterFailureMs(round: number, random: number): number {
  return backoffMs(round, FAILED, random);
}
