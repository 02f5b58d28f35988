/* The numbers of the story. */

/** What the marketplace allows: so many calls at once per account. Every account's semaphore has the same limit. */
export const LIMIT = 5;
export const ACCOUNTS = 20;
/** The first few accounts get most of the calls, so that their limit is reached all the time. */
export const HOT_ACCOUNTS = 3;
const HOT_SHARE = 0.6;

/** One worker process each. */
export const PROCESSES = ['A', 'B', 'C', 'D'];
export const TASKS_EACH = 50;
export const TASKS = PROCESSES.length * TASKS_EACH;

/**
 * How long a seat is kept for a process that died with it. Far longer than a call: the marketplace goes on with a call
 * that was broken off, and until it is done that call counts.
 */
export const TTL_MS = 2_000;

interface Range {
  readonly least: number;
  readonly most: number;
}

export const CALL_MS: Range = { least: 10, most: 40 };
/** Between two calls of a task. */
export const PAUSE_MS: Range = { least: 80, most: 240 };
/** After "busy", before the task tries its luck with another account. */
export const BUSY_PAUSE_MS: Range = { least: 20, most: 60 };
/** How long the marketplace punishes an account that went over the limit. */
export const BLOCKED_MS = 100;

export function between({ least, most }: Range): number {
  return least + Math.random() * (most - least);
}

/** From 1. */
export function pickAccount(): number {
  const hot = Math.random() < HOT_SHARE;
  const [first, count] = hot ? [1, HOT_ACCOUNTS] : [1 + HOT_ACCOUNTS, ACCOUNTS - HOT_ACCOUNTS];
  return first + Math.floor(Math.random() * count);
}

/** The semaphore of an account. */
export function semaphoreName(account: number): string {
  return `account:${account}`;
}
