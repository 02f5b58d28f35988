/** Lets the server learn Holdfast's scripts, which it keeps: then each call is one command, in every order. */
import { Holdfast } from 'holdfast';
import type { Redis } from 'ioredis';

export async function warmUp(redis: Redis): Promise<void> {
  await using holdfast = new Holdfast(redis);
  const options = { limit: 1, ttlMs: 1_000 };
  for (const one of [holdfast.lock('lock'), holdfast.semaphore('seats', options)]) {
    const lease = await one.acquire();
    const waiting = one.acquire();
    await lease.renew();
    await lease.release();
    await (await waiting).release();
  }
}
