/**
 * The market as the chapter keeps it, on a server that holds nothing else:
 *
 *     market:         ZSET   item.seller -> price
 *     users:<id>      HASH   name, funds
 *     inventory:<id>  SET    items
 */
import type { Redis } from 'ioredis';

export interface Load {
  readonly listers: number;
  readonly buyers: number;
  /** Listings on the market from the start, of all sellers together. Default 1,000, so that no buyer begins by waiting. */
  readonly opening?: number;
}

export interface Listing {
  readonly item: string;
  readonly seller: string;
  readonly price: number;
}

export const MARKET = 'market:';
export const user = (id: string): string => `users:${id}`;
export const inventory = (id: string): string => `inventory:${id}`;

/** More than anybody can spend in an hour: a buyer that has run out of money would measure nothing. */
export const BUYERS_FUNDS = 1_000_000_000;
/** What a delivery brings. A lister takes one whenever its shelf is empty, so that none runs out of items. */
export const DELIVERY = 1_000;
const OPENING = 1_000;

export const sellers = ({ listers }: Load): string[] => ids('seller', listers);
export const buyers = (load: Load): string[] => ids('buyer', load.buyers);
export const labelOf = ({ listers, buyers }: Load): string => `${listers}+${buyers}`;

/** A seller's item number n: no two sellers ever have the same. */
export function listing(seller: string, n: number): Listing {
  return { item: `${seller}-${n}`, seller, price: 1 + (n % 100) };
}

export const memberOf = ({ item, seller }: Listing): string => `${item}.${seller}`;

export function sold(member: string, price: number): Listing {
  const [item = '', seller = ''] = member.split('.');
  return { item, seller, price };
}

/** How many items of each seller are on the market when it opens: its numbers from 0. */
export const openingOf = ({ listers, opening = OPENING }: Load): number => Math.ceil(opening / listers);

/** Empties the server and opens the market. */
export async function open(redis: Redis, load: Load): Promise<void> {
  const setup = redis.pipeline().flushall();
  for (const id of buyers(load)) setup.hset(user(id), { name: id, funds: BUYERS_FUNDS });
  for (const id of sellers(load)) {
    setup.hset(user(id), { name: id, funds: 0 });
    const listings = Array.from({ length: openingOf(load) }, (_, n) => listing(id, n));
    setup.zadd(MARKET, ...listings.flatMap((one) => [one.price, memberOf(one)]));
  }
  for (const [error] of (await setup.exec()) ?? []) if (error) throw error;
}

function ids(role: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${role}${i + 1}`);
}
