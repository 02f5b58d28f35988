/** What the scripts of locks and semaphores answer alike. */
import { type AcquireReply, type GrantedReply, parseSlots } from './store.ts';

/** A queue that nobody asks about for this long is forgotten; waiters ask far more often. */
export const QUEUE_TTL_MS = 300_000;

export function texts(reply: unknown): string[] {
  return (reply as unknown[]).map(String);
}

/** `token, leaseMs, slots` */
export function grantedReply(
  status: GrantedReply['status'],
  [token, leaseMs, slots]: readonly string[],
): GrantedReply {
  return { status, fencingToken: Number(token), leaseMs: Number(leaseMs), slots: parseSlots(slots) };
}

/** `ticket, rank, isNew, nowUs` */
export function queuedReply(
  inTheWay: { readonly remainingMs: number; readonly foreign: boolean },
  [ticket = '', rank, isNew, serverUs]: readonly string[],
): AcquireReply {
  const standing = { ticket, rank: Number(rank), isNew: isNew === '1', serverUs: Number(serverUs) };
  return { status: 'queued', ...inTheWay, ...standing };
}

/** Of what is shared: a grant, or how one stands; `undefined` for what is neither. */
export function sharedReply(status: string, rest: readonly string[]): AcquireReply | undefined {
  if (status === 'granted' || status === 'yours') return grantedReply(status, rest);
  const [remainingMs, ...standing] = rest;
  const inTheWay = { remainingMs: Number(remainingMs), foreign: false };
  if (status === 'busy') return { status, ...inTheWay };
  return status === 'queued' ? queuedReply(inTheWay, standing) : undefined;
}

/** A flat list as rows of so many fields. */
export function rows(flat: unknown, width: number): string[][] {
  const fields = texts(flat);
  return Array.from({ length: fields.length / width }, (_, i) => fields.slice(i * width, (i + 1) * width));
}
