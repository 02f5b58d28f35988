/** The floor: the two commands that Redis documents for a lock, on the same client, with nothing around them. */
import { createHash, randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';

const RELEASE = `if redis.call('get',KEYS[1])==ARGV[1] then return redis.call('del',KEYS[1]) else return 0 end`;
const SHA = createHash('sha1').update(RELEASE).digest('hex');

export async function loadBare(redis: Redis): Promise<void> {
  await redis.script('LOAD', RELEASE);
}

export const newToken = (): string => randomBytes(16).toString('base64url');

export const bareSet = (redis: Redis, name: string, token: string) =>
  redis.set(name, token, 'PX', 10_000, 'NX');

export const bareDelete = (redis: Redis, name: string, token: string) =>
  redis.evalsha(SHA, 1, name, token) as Promise<number>;

export async function barePair(redis: Redis, name: string): Promise<void> {
  const token = newToken();
  await bareSet(redis, name, token);
  await bareDelete(redis, name, token);
}
