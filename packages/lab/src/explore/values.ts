/** Replies and keys as people read them. */
import type { Redis } from 'ioredis';

export function textOf(reply: unknown): string {
  if (reply === null) return '(nil)';
  if (reply instanceof Error) return `error: ${reply.message}`;
  if (Array.isArray(reply)) return `[${reply.map(textOf).join(', ')}]`;
  return String(reply);
}

/** The values of these keys; a key that is not there is left out. */
export async function keysNow(redis: Redis, keys: readonly string[]): Promise<Record<string, string>> {
  const values = await Promise.all(keys.map(async (key) => [key, await valueAt(redis, key)] as const));
  return Object.fromEntries(values.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

async function valueAt(redis: Redis, key: string): Promise<string | undefined> {
  const [type, ttl] = await Promise.all([redis.type(key), redis.pttl(key)]);
  // How much is left is no part of an order: it differs from run to run.
  const expires = ttl >= 0 ? ' (expires)' : '';
  if (type === 'string') return `${await redis.get(key)}${expires}`;
  if (type === 'hash') return pairs(Object.entries(await redis.hgetall(key)).flat()) + expires;
  if (type === 'set') return `{${(await redis.smembers(key)).sort().join(', ')}}${expires}`;
  if (type === 'list') return `[${(await redis.lrange(key, 0, -1)).join(', ')}]${expires}`;
  if (type === 'zset') return pairs(await redis.zrange(key, 0, -1, 'WITHSCORES')) + expires;
  return undefined;
}

function pairs(flat: readonly string[]): string {
  const entries = flat.flatMap((field, i) => (i % 2 === 0 ? [`${field}: ${flat[i + 1]}`] : []));
  return `{${entries.join(', ')}}`;
}
