/**
 * Which keys belong to a name.
 *
 * The main key of a lock, semaphore or read-write lock is the name itself (behind the instance's prefix), as Redis documents it, so that workers in other
 * languages meet us there. Its helper keys live in the same slot whatever braces the name contains, and the encoding
 * is injective: no two names share a key, and no name can reach another one's helper keys, because names
 * that begin like a helper key are moved aside.
 */
import { hashTag, keySlot, tagOfSlot } from './slot.ts';

const RESERVED = 'holdfast:';

export interface LockKeys {
  readonly name: string;
  /** A string: the holderId of the lease, or another library's. */
  readonly lock: string;
  /** A sorted set with one member: the last fencing token (see `lua/README.md`). */
  readonly fence: string;
  /** A sorted set: waiters by ticket. */
  readonly queue: string;
}

export interface SemaphoreKeys {
  readonly name: string;
  /** A sorted set: the leases by their end, and the rest (see `lua/parts/leave.lua`). Never a lock's type. */
  readonly permits: string;
  /** A sorted set: waiters by ticket. */
  readonly waiters: string;
}

export interface ReadWriteKeys {
  readonly name: string;
  /** A sorted set: the leases by their end, and the rest (see `lua/parts/read-write-state.lua`). Never a semaphore's: it has no limit. */
  readonly leases: string;
  /** A sorted set: waiters by ticket. */
  readonly turns: string;
}

export interface KeyRules {
  /** The instance's own prefix. */
  readonly prefix: string;
  /** What the client puts before each key. */
  readonly clientPrefix: string;
}

export function lockKeys(name: string, rules: KeyRules): LockKeys {
  const lock = mainKey(name, rules);
  const helper = helperKeys(lock, rules);
  return { name, lock, fence: helper('fence'), queue: helper('queue') };
}

/** The main key is the lock's of that name, so that the server's types keep the two apart; the queues never meet. */
export function semaphoreKeys(name: string, rules: KeyRules): SemaphoreKeys {
  const permits = mainKey(name, rules);
  return { name, permits, waiters: helperKeys(permits, rules)('waiters') };
}

export function readWriteKeys(name: string, rules: KeyRules): ReadWriteKeys {
  const leases = mainKey(name, rules);
  return { name, leases, turns: helperKeys(leases, rules)('turns') };
}

function mainKey(name: string, { prefix }: KeyRules): string {
  return prefix + (name.startsWith(RESERVED) ? `${RESERVED}name:${name}` : name);
}

/**
 * `holdfast:{tag}:kind:key`, where the tag hashes to the key's slot. A key without braces is its own tag, and is not repeated
 * behind it. A key with a `}` but no proper tag cannot stand inside braces: a number that hashes alike stands for it.
 */
function helperKeys(key: string, { prefix, clientPrefix }: KeyRules): (kind: string) => string {
  const physical = clientPrefix + key;
  const tag = hashTag(physical);
  if (tag === undefined && !physical.includes('}'))
    return (kind) => `${prefix}${RESERVED}{${physical}}:${kind}:`;
  const group = tag ?? tagOfSlot(keySlot(physical));
  return (kind) => `${prefix}${RESERVED}{${group}}:${kind}:${key}`;
}

/** Which guarded call of the lock's lease was the last; lives as long as the lease. */
export function guardKey(name: string, rules: KeyRules): string {
  return helperKeys(mainKey(name, rules), rules)('guard');
}

/** One small key per process: host, pid, label. */
export function processKey(clientId: string, prefix: string): string {
  return `${prefix}${RESERVED}process:${clientId}`;
}

/** One small key per held lease whose holder waits for something else. */
export function waitsKey(digest: string, prefix: string): string {
  return `${prefix}${RESERVED}waits:${digest}`;
}

/**
 * The channel on which a process is told of its grants: one per process, and in a cluster one per process and
 * slot, since a sharded channel lives where its slot lives.
 */
export function grantChannel(clientId: string, mainKey: string, rules: KeyRules, sharded: boolean): string {
  const base = `${rules.prefix}${RESERVED}`;
  if (!sharded) return `${base}grants:${clientId}`;
  const slot = keySlot(rules.clientPrefix + mainKey);
  const group = `{${tagOfSlot(slot)}}`;
  // The client puts its prefix before keys only. If ours has a tag as well, that one counts for channels, but not for keys.
  const misled = hashTag(base) !== undefined && keySlot(base) !== slot;
  return `${misled ? `${group}:${base}` : `${base}${group}:`}grants:${clientId}`;
}
