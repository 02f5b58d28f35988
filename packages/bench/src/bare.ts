/** The floor: the two commands that Redis documents for a lock, on the same client, with nothing around them. */
import { createHash, randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';

const RELEASE = `if redis.call('get',KEYS[1])==ARGV[1] then return redis.call('del',KEYS[1]) else return 0 end`;
const SHA = createHash('sha1').update(RELEASE).digest('hex');

export async function loadBare(redis: Redis): Promise<void> {
  await redis.script('LOAD', RELEASE);
}

export async function barePair(redis: Redis, name: string): Promise<void> {
  const token = randomBytes(16).toString('base64url');
  await redis.set(name, token, 'PX', 10_000, 'NX');
  await redis.evalsha(SHA, 1, name, token);
}
