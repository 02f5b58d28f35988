/** Under a lock, on the whole market or on the single item: see `deals.ts` for why the item is enough. */
import type { Redis } from 'ioredis';
import { type Listing, sold } from '../data.ts';
import { handOver, has, offer, putUp } from '../deals.ts';
import { BUY_WITHIN_MS, LIST_WITHIN_MS, notInInventory, type Way } from './way.ts';

export interface Mutex {
  /** Resolves with what gives the lock back, or `undefined` when others held it all that time. */
  acquire(name: string, withinMs: number): Promise<(() => Promise<void>) | undefined>;
  close(): Promise<void>;
}

export type Scope = 'market' | 'item';

export function locked(redis: Redis, mutex: Mutex, scope: Scope): Way {
  const lockOf = (item: string) => (scope === 'market' ? 'lock:market' : `lock:item:${item}`);

  async function under<T>(item: string, withinMs: number, work: () => Promise<T>): Promise<T | 'late'> {
    const release = await mutex.acquire(lockOf(item), withinMs);
    if (!release) return 'late';
    try {
      return await work();
    } finally {
      await release();
    }
  }

  return {
    list: (listing) => under(listing.item, LIST_WITHIN_MS, () => listNow(redis, listing)),
    buy: (buyer, member) => under(sold(member, 0).item, BUY_WITHIN_MS, () => buyNow(redis, buyer, member)),
    close: () => mutex.close(),
  };
}

async function listNow(redis: Redis, listing: Listing): Promise<'listed'> {
  if (!(await has(redis, listing))) throw notInInventory(listing);
  await putUp(redis, listing);
  return 'listed';
}

async function buyNow(redis: Redis, buyer: string, member: string): Promise<Listing | 'gone'> {
  const found = await offer(redis, buyer, member);
  if (!found) return 'gone';
  await handOver(redis, buyer, found);
  return found;
}
