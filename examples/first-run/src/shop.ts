/* What the workers share: a stock, the list of sales, and a till that refuses old fencing tokens. */
import type { Redis } from 'ioredis';
import type { Round } from './protocol.ts';

export interface Written {
  accepted: boolean;
  /** The highest token the till has seen. */
  highest: number;
}

export interface Shop {
  open(round: Round, stock: number): Promise<void>;
  readStock(round: Round): Promise<number>;
  writeStock(round: Round, stock: number): Promise<void>;
  recordSale(round: Round, seller: string): Promise<void>;
  /** Who sold, one entry per sale: what was really recorded. */
  sales(round: Round): Promise<string[]>;
  writeToTill(token: number, by: string): Promise<Written>;
}

/** Long after the run, in case it is killed before it can tidy up. */
const KEY_TTL_S = 600;

/** Compares and writes in one step. That is all a resource has to do to be safe from late writers. */
const TILL = `
local highest = tonumber(redis.call('hget', KEYS[1], 'token') or '0')
if tonumber(ARGV[1]) < highest then return { 0, string.format('%.0f', highest) } end
redis.call('hset', KEYS[1], 'token', ARGV[1], 'by', ARGV[2])
redis.call('expire', KEYS[1], ARGV[3])
return { 1, ARGV[1] }`;

/** Every command is atomic by itself. What lies between two of them is not: that is what the lock is for. */
export class RedisShop implements Shop {
  constructor(
    private readonly redis: Redis,
    private readonly prefix: string,
  ) {}

  async open(round: Round, stock: number): Promise<void> {
    await this.redis.set(this.key(round, 'stock'), stock, 'EX', KEY_TTL_S);
  }

  async readStock(round: Round): Promise<number> {
    return Number(await this.redis.get(this.key(round, 'stock')));
  }

  async writeStock(round: Round, stock: number): Promise<void> {
    await this.redis.set(this.key(round, 'stock'), stock, 'EX', KEY_TTL_S);
  }

  async recordSale(round: Round, seller: string): Promise<void> {
    const key = this.key(round, 'sales');
    await this.redis.multi().rpush(key, seller).expire(key, KEY_TTL_S).exec();
  }

  sales(round: Round): Promise<string[]> {
    return this.redis.lrange(this.key(round, 'sales'), 0, -1);
  }

  async writeToTill(token: number, by: string): Promise<Written> {
    const till = `${this.prefix}:till-content`;
    const [accepted, highest] = (await this.redis.eval(TILL, 1, till, token, by, KEY_TTL_S)) as [
      number,
      string,
    ];
    return { accepted: accepted === 1, highest: Number(highest) };
  }

  private key(round: Round, what: string): string {
    return `${this.prefix}:${round}:${what}`;
  }
}

/** The same within one process: each call is a turn of the event loop away, as a server would be. */
export class MemoryShop implements Shop {
  private readonly stocks = new Map<Round, number>();
  private readonly sold = new Map<Round, string[]>();
  private highest = 0;

  async open(round: Round, stock: number): Promise<void> {
    this.stocks.set(round, stock);
    this.sold.set(round, []);
  }

  async readStock(round: Round): Promise<number> {
    await nextTurn();
    return this.stocks.get(round) ?? 0;
  }

  async writeStock(round: Round, stock: number): Promise<void> {
    await nextTurn();
    this.stocks.set(round, stock);
  }

  async recordSale(round: Round, seller: string): Promise<void> {
    await nextTurn();
    this.sold.get(round)?.push(seller);
  }

  async sales(round: Round): Promise<string[]> {
    return this.sold.get(round) ?? [];
  }

  async writeToTill(token: number): Promise<Written> {
    await nextTurn();
    const accepted = token >= this.highest;
    if (accepted) this.highest = token;
    return { accepted, highest: this.highest };
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
