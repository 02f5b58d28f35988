/**
 * A holderId proves ownership: 128 random bits from the CSPRNG per acquisition, then the id of the client that
 * made it. A grant appends its fencing token (`holderId:token` is the lock's value on the server). The mark at its front tells our leases from those of other libraries, whose release hands nothing over.
 */
import { crypto } from './crypto.ts';

/** The front of every holderId; scripts look for it. */
export const HOLDER_MARK = 'hf1-';
const RANDOM_BYTES = 16;
const CLIENT_BYTES = 9;

const pool = Buffer.allocUnsafe(RANDOM_BYTES * 256);
let used = pool.length;

function randomText(bytes: number): string {
  if (used + bytes > pool.length) {
    crypto().randomFillSync(pool);
    used = 0;
  }
  used += bytes;
  return pool.toString('base64url', used - bytes, used);
}

/** 72 random bits that name one Holdfast instance of one process. */
export function newClientId(): string {
  return randomText(CLIENT_BYTES);
}

/** The fencing token in a lock's value; `undefined` when it is none of ours. */
export function tokenIn(value: string): number | undefined {
  const [, token] = /^hf1-[\w-]+\.[\w-]+:(\d+)$/.exec(value) ?? [];
  return token === undefined ? undefined : Number(token);
}

export function newHolderId(clientId: string): string {
  return `${HOLDER_MARK}${randomText(RANDOM_BYTES)}.${clientId}`;
}
