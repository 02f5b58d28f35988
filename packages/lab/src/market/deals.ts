/**
 * What every way of protection protects: the same reads in one round trip, the same transaction in another. Only what
 * keeps them together differs from way to way.
 *
 * Why a lock on the single item is enough, though a purchase touches the market, two accounts and an inventory: of the
 * market and the inventories it touches this item's members alone, which nobody touches without this item's lock. The
 * seller's funds are only ever added to, and HINCRBY commutes. The buyer's funds are checked before they are spent, and
 * only the buyer's own process spends them, one purchase after the other: between check and HINCRBY they cannot shrink.
 * An account with several spenders would need its own lock as well, or a debit that refuses by itself.
 */
import type { ChainableCommander, Redis } from 'ioredis';
import { inventory, type Listing, MARKET, memberOf, sold, user } from './data.ts';

/** What is for sale at which price, if it still is and the buyer has the money. */
export async function offer(redis: Redis, buyer: string, member: string): Promise<Listing | undefined> {
  const [price, funds] = await values(redis.pipeline().zscore(MARKET, member).hget(user(buyer), 'funds'));
  if (price === null || Number(price) > Number(funds)) return undefined;
  return sold(member, Number(price));
}

export async function has(redis: Redis, { seller, item }: Listing): Promise<boolean> {
  return (await redis.sismember(inventory(seller), item)) === 1;
}

/** Resolves with false when something watched has changed. */
export async function putUp(redis: Redis, listing: Listing): Promise<boolean> {
  const { seller, item, price } = listing;
  return committed(redis.multi().zadd(MARKET, price, memberOf(listing)).srem(inventory(seller), item));
}

/** Resolves with false when something watched has changed. */
export async function handOver(redis: Redis, buyer: string, listing: Listing): Promise<boolean> {
  const { seller, item, price } = listing;
  return committed(
    redis
      .multi()
      .hincrby(user(seller), 'funds', price)
      .hincrby(user(buyer), 'funds', -price)
      .sadd(inventory(buyer), item)
      .zrem(MARKET, memberOf(listing)),
  );
}

async function committed(transaction: ChainableCommander): Promise<boolean> {
  return (await values(transaction)).length > 0;
}

/** The replies; none when the transaction did not take place. */
async function values(commands: ChainableCommander): Promise<unknown[]> {
  const replies = (await commands.exec()) ?? [];
  return replies.map(([error, value]) => {
    if (error) throw error;
    return value;
  });
}
