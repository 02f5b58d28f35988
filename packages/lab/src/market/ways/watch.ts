/**
 * WATCH, read, MULTI … EXEC, and again when somebody else changed what was watched: the whole market for a purchase, since
 * the listing is a member of it. So every other listing and every other purchase makes this one begin again.
 */

import { inventory, type Listing, MARKET, user } from '../data.ts';
import { handOver, has, offer, putUp } from '../deals.ts';
import { BUY_WITHIN_MS, LIST_WITHIN_MS, notInInventory, type Way, type WayOptions } from './way.ts';

export function watching({ redis, retried }: WayOptions): Way {
  return {
    async list(listing) {
      const until = performance.now() + LIST_WITHIN_MS;
      while (performance.now() < until) {
        await redis.watch(inventory(listing.seller));
        if (!(await has(redis, listing))) throw notInInventory(listing);
        if (await putUp(redis, listing)) return 'listed';
        retried();
      }
      return 'late';
    },

    async buy(buyer, member) {
      const until = performance.now() + BUY_WITHIN_MS;
      while (performance.now() < until) {
        await redis.watch(MARKET, user(buyer));
        const found: Listing | undefined = await offer(redis, buyer, member);
        if (!found) {
          await redis.unwatch();
          return 'gone';
        }
        if (await handOver(redis, buyer, found)) return found;
        retried();
      }
      return 'late';
    },

    close: async () => {},
  };
}
