/** What users may set, checked at once: every message names the argument and what to pass. */
import { argumentError, quote, rangeError } from './errors.ts';

const MAX_TTL_MS = 24 * 60 * 60 * 1000;
/** The longest that Node's timers can wait. */
const MAX_WAIT_MS = 2 ** 31 - 1;
const MAX_NAME_BYTES = 512;

/** What every lease is made with. */
export interface LeaseOptions {
  /** How long the server keeps a lease that is not renewed, in ms: 1 to 86,400,000. Default 10,000. */
  readonly ttlMs?: number;
  /** How long `acquire` waits by default, in ms: 0 to 2,147,483,647. Default 10,000. */
  readonly waitMs?: number;
  /** Renew the lease in the background until its release. Default true; `false` gives a lease of one ttl. */
  readonly renew?: boolean;
  /** The longest that one lease may be held, renewals included, in ms. Default: no limit while its process lives. */
  readonly maxHoldMs?: number;
}

export interface LockOptions extends LeaseOptions {
  /**
   * After a lease *expired* (its process died, stopped or lost the server; never after a release) the lock stays closed for so long, in ms: 0 to
   * 86,400,000. For resources that cannot check a fencing token: late work of the dead holder has that long to arrive (Chubby's and Consul's
   * lock-delay). All who use the lock should agree on it. Default 0.
   */
  readonly cooldownMs?: number;
  /**
   * Whoever holds the lock already, by the `use` that the call is inside of or by `within`, gets another lease of the same hold at once, without a
   * round trip: the same fencing token, given back by the last of them. Default false: then it waits for itself, which is a `DeadlockError`.
   */
  readonly reentrant?: boolean;
}

/** A lease (or the leases of `holdfast.all()`), as what its holder does next is within it. */
export interface HeldLease {
  release(): Promise<unknown>;
}

export interface AcquireOptions extends LeaseOptions {
  /** Cancels the wait (never the hold); `acquire` then rejects with `signal.reason` untouched. */
  readonly signal?: AbortSignal;
  /**
   * What the caller holds already, beyond the `use` calls that it is inside of: for finding deadlocks, and for `reentrant`. Leases of this Holdfast
   * instance.
   */
  readonly within?: HeldLease | readonly HeldLease[];
}

export interface HoldfastOptions extends LeaseOptions {
  /**
   * Put before every key as `prefix:`, one word without a colon, so that two instances with different prefixes never
   * meet. Default: none, the key is the lock's name.
   */
  readonly prefix?: string;
  /** Shown by `inspect` next to host and pid, e.g. the worker's role. At most 100 characters. */
  readonly label?: string;
  /** The library's own deadline for each command, in ms: 10 to 600,000. Default 3,000. */
  readonly commandTimeoutMs?: number;
  /**
   * So many replicas have to confirm each grant (`WAIT`, one more round trip, two after a wait), within a third of `ttlMs` and of `commandTimeoutMs`; else it is given back and the
   * acquire rejects with `ServerRefusedError`, reply `NOREPLICAS`. A fail-over loses fewer locks then, but can lose them still. For one
   * server with one connection: not in a Cluster, not for a list of servers. 0 to 100. Default 0.
   */
  readonly minReplicas?: number;
}

export interface SemaphoreOptions extends LeaseOptions {
  /**
   * How many permits there are: 1 to 1,000,000. The limit that is stored on the server wins (a `warning` event tells once when it
   * is another one); may be left out where it has been set: by another client, or by `setLimit`.
   */
  readonly limit?: number;
  /**
   * Give each permit a slot number from 0 to limit-1 (always the lowest free one), held by one lease at a time, with a
   * fencing token that grows per slot. Default false.
   */
  readonly slots?: boolean;
}

export interface SemaphoreAcquireOptions extends AcquireOptions {
  /** How many permits this lease takes, all or none: 1 to the limit (with `slots` at most 1,000). Default 1. */
  readonly permits?: number;
}

export interface UpgradeOptions {
  /** How long `upgrade` waits, in ms: 0 to 2,147,483,647. Default: as long as `acquire` of that lock does. */
  readonly waitMs?: number;
  /** Cancels the wait (never the hold); `upgrade` then rejects with `signal.reason` untouched. */
  readonly signal?: AbortSignal;
}

/** Of a lease, with every default filled in. */
export interface LeaseSettings {
  readonly ttlMs: number;
  readonly waitMs: number;
  readonly renew: boolean;
  readonly maxHoldMs: number | undefined;
}

/** What belongs to a lock alone. */
export interface LockRules {
  readonly cooldownMs: number;
  readonly reentrant: boolean;
}

export const DEFAULT_SETTINGS: LeaseSettings = {
  ttlMs: 10_000,
  waitMs: 10_000,
  renew: true,
  maxHoldMs: undefined,
};
export const DEFAULT_COMMAND_TIMEOUT_MS = 3_000;

const MAX_LIMIT = 1_000_000;
/** The slots of a lease stand in one message. */
const MAX_SLOTS = 1_000;

const LEASE_KEYS = ['ttlMs', 'waitMs', 'renew', 'maxHoldMs'];
const LOCK_KEYS = [...LEASE_KEYS, 'cooldownMs', 'reentrant'];
const ACQUIRE_KEYS = [...LEASE_KEYS, 'signal', 'within'];
const SEMAPHORE_KEYS = [...LEASE_KEYS, 'limit', 'slots'];
const UPGRADE_KEYS = ['waitMs', 'signal'];
const PERMIT_KEYS = [...ACQUIRE_KEYS, 'permits'];
const HOLDFAST_KEYS = [...LEASE_KEYS, 'prefix', 'label', 'commandTimeoutMs', 'minReplicas'];

/** `settings` with what `options` sets; throws on anything unknown or out of range. */
export function withLeaseOptions(settings: LeaseSettings, options: LeaseOptions | undefined): LeaseSettings {
  if (options === undefined) return settings;
  return {
    ttlMs: options.ttlMs === undefined ? settings.ttlMs : checkTtlMs(options.ttlMs),
    waitMs:
      options.waitMs === undefined ? settings.waitMs : integer('waitMs', options.waitMs, 0, MAX_WAIT_MS),
    renew: options.renew === undefined ? settings.renew : boolean('renew', options.renew),
    maxHoldMs:
      options.maxHoldMs === undefined
        ? settings.maxHoldMs
        : integer('maxHoldMs', options.maxHoldMs, 1, MAX_WAIT_MS),
  };
}

export function checkLeaseOptions(options: LeaseOptions | undefined): void {
  checkKeys(options, LEASE_KEYS);
}

/** What belongs to the lock alone, checked. */
export function checkLockOptions(options: LockOptions | undefined): LockRules {
  checkKeys(options, LOCK_KEYS);
  return {
    cooldownMs:
      options?.cooldownMs === undefined ? 0 : integer('cooldownMs', options.cooldownMs, 0, MAX_TTL_MS),
    reentrant: options?.reentrant === undefined ? false : boolean('reentrant', options.reentrant),
  };
}

export function checkAcquireOptions(options: AcquireOptions | undefined, allowed = ACQUIRE_KEYS): void {
  checkKeys(options, allowed);
  if (options?.signal !== undefined && !(options.signal instanceof AbortSignal)) {
    throw argumentError(`signal: expected an AbortSignal, got ${shown(options.signal)}`);
  }
}

export function checkUpgradeOptions(options: UpgradeOptions | undefined): void {
  checkAcquireOptions(options, UPGRADE_KEYS);
}

/** What belongs to the semaphore alone, checked. */
export function checkSemaphoreOptions(options: SemaphoreOptions | undefined): {
  readonly limit: number | undefined;
  readonly slots: boolean;
} {
  checkKeys(options, SEMAPHORE_KEYS);
  return {
    limit: options?.limit === undefined ? undefined : checkLimit(options.limit),
    slots: options?.slots === undefined ? false : boolean('slots', options.slots),
  };
}

export function checkLimit(limit: number): number {
  return integer('limit', limit, 1, MAX_LIMIT, 'permits');
}

/** The number alone stands for `{ permits }`. */
export function checkPermitOptions(
  options: SemaphoreAcquireOptions | number | undefined,
): SemaphoreAcquireOptions {
  if (typeof options === 'number') return { permits: options };
  if (typeof options === 'string')
    throw argumentError(`permits: expected a number or an object of options, got ${shown(options)}`);
  checkAcquireOptions(options, PERMIT_KEYS);
  return options ?? {};
}

/** @param limit the highest that can be right, as far as it is known here */
export function checkPermits(permits: number | undefined, limit: number | undefined, slots: boolean): number {
  if (permits === undefined) return 1;
  integer('permits', permits, 1, MAX_LIMIT, 'permits');
  if (limit !== undefined && permits > limit) throw tooManyPermits(permits, limit);
  if (slots && permits > MAX_SLOTS)
    throw rangeError(
      `permits: expected at most ${MAX_SLOTS} in one lease of a semaphore with slots, got ${permits}`,
    );
  return permits;
}

export function tooManyPermits(permits: number, limit: number): RangeError {
  return rangeError(
    `permits: expected a whole number of permits from 1 to the limit ${limit}, got ${permits}; more could never be acquired`,
  );
}

export function checkHoldfastOptions(options: HoldfastOptions | undefined): void {
  checkKeys(options, HOLDFAST_KEYS);
  if (options?.label !== undefined && (typeof options.label !== 'string' || options.label.length > 100)) {
    throw argumentError(`label: expected a string of at most 100 characters, got ${shown(options.label)}`);
  }
  if (options?.commandTimeoutMs !== undefined)
    integer('commandTimeoutMs', options.commandTimeoutMs, 10, 600_000);
  if (options?.minReplicas !== undefined) integer('minReplicas', options.minReplicas, 0, 100, 'replicas');
}

export function checkTtlMs(ttlMs: number): number {
  return integer('ttlMs', ttlMs, 1, MAX_TTL_MS);
}

export function checkToken(fencingToken: number): number {
  return integer('fencingToken', fencingToken, 1, Number.MAX_SAFE_INTEGER, 'grants');
}

/** The prefix as it stands before a key: `''` or `word:`. */
export function checkPrefix(prefix: string | undefined): string {
  if (prefix === undefined) return '';
  const word = typeof prefix === 'string' && prefix.endsWith(':') ? prefix.slice(0, -1) : prefix;
  if (typeof word !== 'string' || !/^[\w./{}-]{1,100}$/.test(word) || !balanced(word)) {
    throw argumentError(
      `prefix: expected one word of letters, digits and "._-/" (or a {hash tag}), got ${shown(prefix)}; a ":" ends the prefix, so that instances with different prefixes never meet: write "billing/locks" for "billing:locks"`,
    );
  }
  return `${word}:`;
}

/** Redis Cluster takes a key's slot from its first `{…}`: an opened brace in a prefix must be closed in it. */
function balanced(word: string): boolean {
  return /^[^{}]*(\{[^{}]+\}[^{}]*)?$/.test(word);
}

/** Any non-empty string of up to 512 bytes of UTF-8; lone surrogates are refused since they have no UTF-8. */
export function checkName(name: unknown): string {
  if (typeof name !== 'string') throw argumentError(`name: expected a string, got ${shown(name)}`);
  if (name === '') throw argumentError('name: expected a non-empty string, got ""');
  if (!name.isWellFormed())
    throw argumentError(`name: expected well-formed text, got a lone surrogate in ${quote(name)}`);
  const bytes = Buffer.byteLength(name);
  if (bytes > MAX_NAME_BYTES)
    throw rangeError(`name: expected at most ${MAX_NAME_BYTES} bytes of UTF-8, got ${bytes}`);
  return name;
}

function checkKeys(options: object | undefined, allowed: readonly string[]): void {
  if (options === undefined) return;
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw argumentError(`options: expected an object, got ${shown(options)}`);
  }
  const unknown = Object.keys(options).find((key) => !allowed.includes(key));
  if (unknown !== undefined) {
    throw argumentError(`options: ${quote(unknown)} is not an option here; there are ${allowed.join(', ')}`);
  }
}

function integer(what: string, value: unknown, min: number, max: number, unit = 'milliseconds'): number {
  if (typeof value !== 'number')
    throw argumentError(`${what}: expected a number of ${unit}, got ${shown(value)}`);
  if (!Number.isSafeInteger(value) || value < min || value > max) {
    throw rangeError(
      `${what}: expected a whole number of ${unit} from ${min} to ${max}, got ${shown(value)}`,
    );
  }
  return value;
}

function boolean(what: string, value: unknown): boolean {
  if (typeof value !== 'boolean') throw argumentError(`${what}: expected true or false, got ${shown(value)}`);
  return value;
}

function shown(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  return typeof value === 'object' && value !== null
    ? `an ${Array.isArray(value) ? 'array' : 'object'}`
    : String(value);
}
