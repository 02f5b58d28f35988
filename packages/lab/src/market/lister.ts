/** Puts up one item of its inventory after the other. */
import type { Redis } from 'ioredis';
import { DELIVERY, inventory, type Listing, listing } from './data.ts';
import type { Journal } from './protocol.ts';
import type { Tally } from './tally.ts';
import type { Way } from './ways/way.ts';

export async function lister(
  redis: Redis,
  way: Way,
  tally: Tally,
  { id, firstItem }: { id: string; firstItem: number },
): Promise<Journal> {
  const listed: Listing[] = [];
  let delivered = firstItem;
  for (let n = firstItem; tally.running; n++) {
    // Between two operations, so that it is in no wait; no lock, since nobody else touches these members yet.
    if (n === delivered) delivered = await deliver(redis, id, delivered);
    const one = listing(id, n);
    const startedAt = performance.now();
    const outcome = await way.list(one);
    if (outcome === 'listed') listed.push(one);
    if (outcome === 'listed') tally.through(startedAt);
    else tally.missed(outcome);
  }
  return { id, listed, bought: [], delivered };
}

async function deliver(redis: Redis, id: string, from: number): Promise<number> {
  const items = Array.from({ length: DELIVERY }, (_, i) => listing(id, from + i).item);
  await redis.sadd(inventory(id), ...items);
  return from + DELIVERY;
}
