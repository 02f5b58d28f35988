/** Redis Cluster's hash slots (Redis Cluster specification, "Key distribution model"). */

/** CRC-16/XMODEM, the one that Redis uses. */
function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++)
      crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : (crc << 1) & 0xffff;
  }
  return crc;
}

/** The part of a key between its first `{` and the next `}`, when there is something in between. */
export function hashTag(key: string): string | undefined {
  const open = key.indexOf('{');
  const close = key.indexOf('}', open + 1);
  return open >= 0 && close > open + 1 ? key.slice(open + 1, close) : undefined;
}

export function keySlot(key: string): number {
  return crc16(Buffer.from(hashTag(key) ?? key)) % 16384;
}

const tags = new Map<number, string>();
let tried = 0;

/** A short number whose slot is `slot`: a hash tag for keys that must go there. About 10 ms for the rarest. */
export function tagOfSlot(slot: number): string {
  for (let tag = tags.get(slot); ; tag = tags.get(slot)) {
    if (tag !== undefined) return tag;
    const next = String(tried++);
    const at = crc16(Buffer.from(next)) % 16384;
    if (!tags.has(at)) tags.set(at, next);
  }
}
