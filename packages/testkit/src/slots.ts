/** How many slots a cluster divides its keys among. */
export const SLOTS = 16_384;

/** The slot of a key, by the part in braces if there is one (the cluster specification's `HASH_SLOT`). */
export function keySlot(key: string): number {
  return crc16(Buffer.from(hashTag(key))) % SLOTS;
}

function hashTag(key: string): string {
  const open = key.indexOf('{');
  const close = key.indexOf('}', open + 1);
  return open >= 0 && close > open + 1 ? key.slice(open + 1, close) : key;
}

/** CRC-16/XMODEM, bit by bit: the kit hashes few keys. */
function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = ((crc << 1) ^ (crc & 0x8000 ? 0x1021 : 0)) & 0xffff;
  }
  return crc;
}

export interface SlotRange {
  from: number;
  to: number;
}

/** All slots in as many even parts as there are masters. */
export function splitSlots(masters: number): SlotRange[] {
  const edge = (i: number) => Math.round((i * SLOTS) / masters);
  return Array.from({ length: masters }, (_, i) => ({ from: edge(i), to: edge(i + 1) - 1 }));
}
