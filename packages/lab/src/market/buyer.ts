/**
 * Picks a listing at random and buys it, again and again. Its wait begins with the pick and goes on when somebody else was
 * quicker. An empty market is no wait and no retry: the buyer looks again after a short pause.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { type Listing, MARKET } from './data.ts';
import type { Journal } from './protocol.ts';
import type { Tally } from './tally.ts';
import type { Way } from './ways/way.ts';

const LOOK_AGAIN_MS = 1;

export async function buyer(redis: Redis, way: Way, tally: Tally, { id }: { id: string }): Promise<Journal> {
  const bought: Listing[] = [];
  let startedAt: number | undefined;
  while (tally.running) {
    const member = await redis.zrandmember(MARKET);
    if (typeof member !== 'string') {
      startedAt = undefined;
      await sleep(LOOK_AGAIN_MS);
      continue;
    }
    startedAt ??= performance.now();
    const outcome = await way.buy(id, member);
    if (typeof outcome === 'string') {
      tally.missed(outcome);
      continue;
    }
    bought.push(outcome);
    tally.through(startedAt);
    startedAt = undefined;
  }
  if (startedAt !== undefined) tally.waited(startedAt);
  return { id, listed: [], bought, delivered: 0 };
}
