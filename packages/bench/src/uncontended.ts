/** A free lock, one acquire + release after the other, against the two bare commands. */
import { Holdfast } from 'holdfast';
import type { Redis } from 'ioredis';
import { barePair, loadBare } from './bare.ts';
import { type Compared, compare } from './compare.ts';

export async function measureUncontended(redis: Redis, rounds: number, pairs: number): Promise<Compared> {
  await loadBare(redis);
  await using holdfast = new Holdfast(redis);
  const lock = holdfast.lock('bench:holdfast');
  const bare = { pair: () => barePair(redis, 'bench:bare'), commands: ['set', 'evalsha'] };
  const ours = {
    pair: async () => void (await (await lock.acquire()).release()),
    commands: ['set', 'zadd', 'evalsha'],
  };
  return await compare(redis, bare, ours, rounds, pairs);
}
