/** The whole market as it is now. */
import type { Redis } from 'ioredis';
import { buyers, inventory, type Load, MARKET, sellers, user } from './data.ts';

export interface MarketNow {
  readonly funds: ReadonlyMap<string, number>;
  /** By user: its items. */
  readonly inventories: ReadonlyMap<string, readonly string[]>;
  /** By member: its price. */
  readonly listings: ReadonlyMap<string, number>;
}

export async function readMarket(redis: Redis, load: Load): Promise<MarketNow> {
  const funds = new Map<string, number>();
  const inventories = new Map<string, string[]>();
  for (const id of [...sellers(load), ...buyers(load)]) {
    funds.set(id, Number(await redis.hget(user(id), 'funds')));
    inventories.set(id, await redis.smembers(inventory(id)));
  }
  const flat = await redis.zrange(MARKET, 0, -1, 'WITHSCORES');
  const listings = new Map<string, number>();
  for (let i = 0; i < flat.length; i += 2) listings.set(flat[i] as string, Number(flat[i + 1]));
  return { funds, inventories, listings };
}
