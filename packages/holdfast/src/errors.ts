/**
 * Every error that Holdfast makes. `name` and `code` are stable; `lockName` names the lock, semaphore or read-write lock; `cause` is what
 * lay behind it. No message, property or inspection of an error ever holds a holderId or a password.
 */

/** What an error is about. */
export interface Subject {
  readonly kind: 'lock' | 'semaphore' | 'read-write lock';
  readonly name: string;
}

export abstract class HoldfastError extends Error {
  abstract readonly code: string;
  /** The lock (or semaphore) that this is about, where there is one. */
  readonly lockName: string | undefined;

  constructor(message: string, subject?: Subject, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause: redacted(cause) });
    this.lockName = subject?.name;
  }
}

/** The lock was not free (the semaphore had not enough permits) within `waitMs`. Contention, not a fault: try again later, or wait longer. */
export class AcquireTimeoutError extends HoldfastError {
  override readonly name = 'AcquireTimeoutError';
  readonly code = 'HOLDFAST_ACQUIRE_TIMEOUT';
  constructor(
    subject: Subject,
    readonly waitedMs: number,
  ) {
    super(
      prefixed(
        subject,
        `not acquired within ${Math.round(waitedMs)} ms, others hold it; wait longer (waitMs) or try later`,
      ),
      subject,
    );
  }
}

/** One who waits while it holds something that others may wait for. In a deadlock these go round in a circle. */
export interface WaitLink {
  readonly process: {
    readonly clientId: string;
    readonly host?: string | undefined;
    readonly pid?: number | undefined;
    readonly label?: string | undefined;
  };
  /** In a deadlock: what the one before it in the circle waits for. */
  readonly holds: string;
  readonly waitsFor: string;
  readonly kind: Subject['kind'];
  /** By the wall clocks of both processes. */
  readonly waitedMs: number;
}

/**
 * This wait would never have ended: whoever holds what it wants waits, in the end, for what its caller holds. Of all in the circle this was the
 * youngest, and only this one was given up. Release what you hold, and try again; take locks in the same order everywhere, or together
 * with `holdfast.all()`.
 */
export class DeadlockError extends HoldfastError {
  override readonly name = 'DeadlockError';
  readonly code = 'HOLDFAST_DEADLOCK';
  constructor(
    subject: Subject,
    /** The circle, beginning with this wait. */
    readonly cycle: readonly WaitLink[],
  ) {
    super(prefixed(subject, deadlockText(cycle)), subject);
  }
}

function deadlockText(cycle: readonly WaitLink[]): string {
  if (cycle.length === 1)
    return 'deadlock: it is held by its own caller, so it would wait for itself; use the lease that it has, or a lock with reentrant: true';
  const links = cycle.map(
    ({ process, holds, waitsFor, waitedMs }) =>
      `${processText(process)} holds ${quote(holds)} and has waited ${Math.round(waitedMs)} ms for ${quote(waitsFor)}`,
  );
  return `deadlock, and this was its youngest wait: ${links.join('; ')}; release what you hold and try again, take locks in one order, or together with holdfast.all()`;
}

function processText({ clientId, host, pid, label }: WaitLink['process']): string {
  if (host === undefined) return `process ${clientId}`;
  return `${label === undefined ? '' : `${quote(label)} `}${host}:${pid}`;
}

/**
 * Why a lease ended before its release.
 * - `expired`: its validity ended and no renewal got through in time
 * - `lost`: the server no longer knows it (deleted, evicted, taken by force, lost in a restart or fail-over)
 * - `max-hold`: `maxHoldMs` is over
 * - `closed`: `holdfast.close()` ended it
 */
export type LeaseLostReason = 'expired' | 'lost' | 'max-hold' | 'closed';

const LOST_TEXT: Record<LeaseLostReason, string> = {
  expired: 'its validity ended before a renewal got through',
  lost: 'the server no longer has it (deleted, evicted, taken by force, or lost in a restart or fail-over)',
  'max-hold': 'its maxHoldMs is over',
  closed: 'the Holdfast instance was closed',
};

/** The lease is gone while its holder still worked. Stop, and write nothing more without the fencing token. */
export class LeaseLostError extends HoldfastError {
  override readonly name = 'LeaseLostError';
  readonly code = 'HOLDFAST_LEASE_LOST';
  constructor(
    subject: Subject,
    readonly reason: LeaseLostReason,
  ) {
    super(
      prefixed(subject, `the lease is lost: ${LOST_TEXT[reason]}; somebody else may hold it now`),
      subject,
    );
  }
}

/**
 * One of several guarded commands was refused by the server, e.g. for a key of another type. The lease was held, and the other commands have
 * been applied, as in MULTI.
 */
export class GuardedWriteError extends HoldfastError {
  override readonly name = 'GuardedWriteError';
  readonly code = 'HOLDFAST_GUARDED_WRITE';
  constructor(
    subject: Subject,
    what: string,
    /** In the order of the commands; an `Error` for each that failed. */
    readonly replies: readonly unknown[],
  ) {
    super(prefixed(subject, `${what}; whatever did not fail was applied`), subject);
  }
}

/** The key of this name holds something else: choose another name or remove the key. */
export class WrongTypeError extends HoldfastError {
  override readonly name = 'WrongTypeError';
  readonly code = 'HOLDFAST_WRONG_TYPE';
  constructor(
    subject: Subject,
    /** What is there, as far as it could be told: `lock`, `semaphore`, `read-write lock`, or the type of a foreign key (`string`, `hash`, …). */
    readonly found: string,
    cause?: unknown,
  ) {
    super(
      prefixed(subject, `its key holds ${foundText(found)}, so it is no ${subject.kind}; ${advice(found)}`),
      subject,
      cause,
    );
  }
}

/** The server could not be reached, or did not answer within `commandTimeoutMs`. Whether the command ran is unknown. */
export class ConnectionError extends HoldfastError {
  override readonly name = 'ConnectionError';
  readonly code = 'HOLDFAST_CONNECTION';
  constructor(what: string, subject: Subject | undefined, cause?: unknown) {
    super(prefixed(subject, what), subject, cause);
  }
}

/** Nobody wanted the answer any more. For those inside only. */
export class GivenUpError extends ConnectionError {
  constructor(subject: Subject | undefined, cause?: unknown) {
    super('given up', subject, cause);
  }
}

/** The server answered, and refused: no memory, read-only, loading, no permission, a cluster that is down, … */
export class ServerRefusedError extends HoldfastError {
  override readonly name = 'ServerRefusedError';
  readonly code = 'HOLDFAST_SERVER_REFUSED';
  constructor(
    what: string,
    subject: Subject | undefined,
    /** The server's own word: `OOM`, `READONLY`, `LOADING`, `CLUSTERDOWN`, `NOPERM`, `NOAUTH`, … */
    readonly reply: string,
    cause?: unknown,
  ) {
    super(prefixed(subject, what), subject, cause);
  }
}

/** How one node of a quorum voted. */
export interface NodeVote {
  /** `node 2 (ioredis, 10.0.0.2:6379)` */
  readonly node: string;
  /** What it said, or `none` when it could not be asked. */
  readonly vote: string;
  /** Why it did not vote. */
  readonly reason: Error | undefined;
}

/** Too few of the independent servers answered. Contention is never this error. Whether the command ran on some is unknown. */
export class QuorumError extends HoldfastError {
  override readonly name = 'QuorumError';
  readonly code = 'HOLDFAST_QUORUM';
  constructor(
    subject: Subject | undefined,
    /** So many have to agree. */
    readonly majority: number,
    /** One for each node, in the order of the list. */
    readonly votes: readonly NodeVote[],
  ) {
    const reached = votes.filter(({ vote, reason }) => reason === undefined && vote !== NO_ANSWER).length;
    const each = votes.map(({ node, vote, reason }) => `${node}: ${reason?.message ?? vote}`).join('; ');
    const what = `${reached} of ${votes.length} servers answered, ${majority} are needed; check those that did not (${each})`;
    super(prefixed(subject, what), subject, votes.find(({ reason }) => reason !== undefined)?.reason);
  }
}

export const NO_ANSWER = 'no answer yet';

/** The Holdfast instance (or the client it was given) was closed. */
export class ClosedError extends HoldfastError {
  override readonly name = 'ClosedError';
  readonly code = 'HOLDFAST_CLOSED';
  constructor(what: string, subject?: Subject, cause?: unknown) {
    super(prefixed(subject, what), subject, cause);
  }
}

/** A `TypeError` about an argument, with a stable code. */
export function argumentError(message: string): TypeError & { code: string } {
  return Object.assign(new TypeError(message), { code: 'ERR_HOLDFAST_ARGUMENT' });
}

/** A `RangeError` about an argument, with a stable code. */
export function rangeError(message: string): RangeError & { code: string } {
  return Object.assign(new RangeError(message), { code: 'ERR_HOLDFAST_RANGE' });
}

/** A name as it stands in messages: quoted, control characters escaped, shortened. */
export function quote(name: string): string {
  return JSON.stringify(name.length > 80 ? `${name.slice(0, 77)}…` : name);
}

/** `what`, behind the name of what it is about. */
export function prefixed(subject: Subject | undefined, what: string): string {
  return subject === undefined ? what : `${subject.kind} ${quote(subject.name)}: ${what}`;
}

/** For a semaphore of which nobody has said how many permits it has. */
export function noLimitText(): string {
  return 'limit: none has been set for this name on the server (or it was not used for a day); pass { limit }, or call setLimit()';
}

/** How to get at what stands at a name. */
const CALLS: Readonly<Record<string, string>> = {
  lock: 'lock',
  semaphore: 'semaphore',
  'read-write lock': 'readWrite',
};

function foundText(found: string): string {
  if (CALLS[found] !== undefined) return `a ${found} of Holdfast`;
  return found === '' ? 'another type of value' : `a foreign ${found}`;
}

function advice(found: string): string {
  const call = CALLS[found];
  return call !== undefined
    ? `use holdfast.${call}(), or another name`
    : 'use another name, or remove that key if nothing needs it';
}

/**
 * A client's or server's own text, fit to be shown: without user info in URLs, and without the arguments that a server
 * repeats when it does not know the command (a holderId among them, or a password).
 */
export function withoutSecrets(text: string): string {
  return text
    .replace(/\/\/[^/@\s]*@/g, '//***@')
    .replace(/, with args beginning with: .*/s, '')
    .replace(/hf1-[\w-]+/g, '***');
}

/**
 * Clients put the command that failed into their errors (ioredis: `command.args`), and with it the holderId, or a
 * password after AUTH. Only name and message of a foreign error go on, without user info in URLs.
 */
function redacted(cause: unknown): unknown {
  if (cause instanceof HoldfastError || !(cause instanceof Error)) return cause;
  const copy = new Error(withoutSecrets(cause.message));
  copy.name = cause.name;
  copy.stack = `${copy.name}: ${copy.message}`;
  return copy;
}
