/** What the audit reports. */

export type Sure = 'certain' | 'likely' | 'possible';

/**
 * - `never`: it never comes back by itself
 * - `risk`: it comes back late, or may be taken from its owner
 */
export type Severity = 'never' | 'risk';

export type Problem =
  | 'no expiry'
  | 'long expiry'
  | 'no owner'
  | 'idle'
  | 'stale permits'
  | 'permits without time'
  | 'dead queue';

export interface Finding {
  readonly key: string;
  readonly type: string;
  readonly problem: Problem;
  readonly severity: Severity;
  readonly sure: Sure;
  /** Whose, and how that is known. */
  readonly what: string;
  readonly ttlMs: number | undefined;
  readonly idleMs: number | undefined;
  readonly why: string;
  readonly todo: string;
}

export const TEXTS: Record<
  Problem,
  { readonly severity: Severity; readonly why: string; readonly todo: string }
> = {
  'no expiry': {
    severity: 'never',
    why: 'when its holder dies, nobody ever gets this lock again',
    todo: 'make sure that its holder is gone, then DEL it; set it with an expiry in the same command (SET … NX PX)',
  },
  'long expiry': {
    severity: 'risk',
    why: 'when its holder dies, everybody waits for all of that time',
    todo: 'use an expiry of seconds, and renew it while the work lasts',
  },
  'no owner': {
    severity: 'risk',
    why: 'no release can check whose lock it is: one that comes late deletes the lock of the next holder',
    todo: 'store a random value, and delete it only if it is still the same (a script, DELEX or DELIFEQ)',
  },
  idle: {
    severity: 'risk',
    why: 'nobody has touched it for long, so nobody renews it; its holder may be dead, and it is still taken',
    todo: 'look for its holder; use a short expiry that is renewed',
  },
  'stale permits': {
    severity: 'never',
    why: 'entries are far older than any work: their holders died, and nothing has taken the entries out',
    todo: 'remove the old entries (ZREMRANGEBYSCORE), give the key an expiry, and drop ended entries in each acquire',
  },
  'permits without time': {
    severity: 'never',
    why: 'nothing says when an entry ends, so the permit of a holder that died stays taken for ever',
    todo: 'keep permits in a sorted set scored by when each ends by the clock of the server',
  },
  'dead queue': {
    severity: 'risk',
    why: 'who stands in it is gone: whatever waits for its turn, or for these jobs, waits in vain',
    todo: 'check that no such process lives, then remove it',
  },
};
