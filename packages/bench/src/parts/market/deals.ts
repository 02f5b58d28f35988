/** The textbook's marketplace: `market` is a sorted set `item.seller` → price, `funds` a hash, `inventory:<who>` a set. A deal is safe under a lock on its item. */
import type { Redis } from 'ioredis';

const MARKET = 'market';
const FUNDS = 'funds';
const inventory = (who: string) => `inventory:${who}`;
/** No buyer begins by waiting. */
const OPENING = 1_000;
const RICH = 1_000_000_000;

export const lockOf = (item: string): string => `lock:item:${item}`;
export const itemOf = (member: string): string => member.split('.')[0] ?? '';

/** Empties the server, puts so many items on the market, and gives the buyers their money. */
export async function open(
  redis: Redis,
  sellers: readonly string[],
  buyers: readonly string[],
): Promise<void> {
  await redis.flushall();
  const setup = redis.pipeline();
  for (const buyer of buyers) setup.hset(FUNDS, buyer, RICH);
  for (const seller of sellers)
    for (let n = 0; n < OPENING / sellers.length; n++)
      setup.zadd(MARKET, 1 + (n % 100), `${seller}-open${n}.${seller}`);
  await setup.exec();
}

/** What nobody may change. */
export async function totalFunds(redis: Redis): Promise<number> {
  return (await redis.hvals(FUNDS)).reduce((sum, value) => sum + Number(value), 0);
}

export async function list(redis: Redis, seller: string, item: string, price: number): Promise<void> {
  await redis.multi().sadd(inventory(seller), item).exec();
  if ((await redis.sismember(inventory(seller), item)) !== 1) throw new Error(`${item} is gone`);
  await redis.multi().zadd(MARKET, price, `${item}.${seller}`).srem(inventory(seller), item).exec();
}

export async function pick(redis: Redis): Promise<string | undefined> {
  const member = await redis.zrandmember(MARKET);
  return typeof member === 'string' ? member : undefined;
}

/** Resolves with false when somebody else has it. */
export async function buy(redis: Redis, buyer: string, member: string): Promise<boolean> {
  const price = await redis.zscore(MARKET, member);
  if (price === null) return false;
  const [item = '', seller = ''] = member.split('.');
  await redis
    .multi()
    .hincrby(FUNDS, seller, Number(price))
    .hincrby(FUNDS, buyer, -Number(price))
    .sadd(inventory(buyer), item)
    .zrem(MARKET, member)
    .exec();
  return true;
}
