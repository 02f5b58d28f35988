/**
 * What a holder waits for, noted on the server where others can find it: one small key per held lease, written by its own process, with an expiry of
 * two seconds. Its name is a digest: whoever reads it learns nothing that proves ownership.
 */
import { crypto } from '../crypto.ts';
import type { Subject } from '../errors.ts';
import type { Hold } from '../hold.ts';
import type { CallLimits, Store } from '../store/store.ts';

/** A note whose process died is believed for this long. */
const NOTE_MS = 2_000;
const MAX_TEXT = 100_000;

/** One wait. */
export interface Wait {
  /** Tells it from all others: the digest of the holderId that it asks with. */
  readonly id: string;
  readonly kind: Subject['kind'];
  readonly name: string;
  /** So many of a semaphore's. */
  readonly permits: number;
  /** The digest of the lease that it would change: an upgrade's own, which is not in its way. */
  readonly own?: string;
  /** Which process waits. */
  readonly clientId: string;
  /** Since when, by that process's wall clock, in ms: for people, and to tell the youngest. */
  readonly since: number;
}

/** Of a holderId, without its fencing token. */
export function digestOf(holderId: string): string {
  return crypto().createHash('sha256').update(holderId).digest('base64url').slice(0, 22);
}

/** Waits of this process, by what is held meanwhile. */
const noted = new WeakMap<Hold, Set<Wait>>();

/** Says (again) that `hold`'s holder waits. One round trip. */
export function note(hold: Hold, wait: Wait, limits: CallLimits): Promise<void> {
  const all = noted.get(hold) ?? new Set();
  noted.set(hold, all.add(wait));
  return write(hold, all, limits);
}

/** The wait is over. */
export function unnote(hold: Hold, wait: Wait, limits: CallLimits): Promise<void> {
  const all = noted.get(hold);
  if (!all?.delete(wait)) return Promise.resolve();
  if (all.size === 0) noted.delete(hold);
  return write(hold, all, limits);
}

function write(hold: Hold, waits: ReadonlySet<Wait>, limits: CallLimits): Promise<void> {
  const text = waits.size === 0 ? undefined : JSON.stringify([...waits]);
  return hold.engine.store.waits.note(digestOf(hold.holderId), text, NOTE_MS, limits);
}

/** What the holder of that lease waits for. */
export async function waitsOf(store: Store, digest: string, limits: CallLimits): Promise<readonly Wait[]> {
  return parsed(await store.waits.noted(digest, limits));
}

/** Written by other processes: only what has the right form counts. */
function parsed(text: string | undefined): readonly Wait[] {
  if (text === undefined || text.length > MAX_TEXT) return [];
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.filter(isWait) : [];
  } catch {
    return [];
  }
}

function isWait(one: unknown): one is Wait {
  if (typeof one !== 'object' || one === null) return false;
  const { id, kind, name, permits, own, clientId, since } = one as Record<string, unknown>;
  return (
    (kind === 'lock' || kind === 'semaphore' || kind === 'read-write lock') &&
    [id, name, clientId].every((text) => typeof text === 'string' && text !== '') &&
    (own === undefined || typeof own === 'string') &&
    typeof since === 'number' &&
    typeof permits === 'number'
  );
}
