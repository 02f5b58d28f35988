/** A process of the hot-lock benchmark: several workers that take the lock, hold it, give it back. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Holdfast } from 'holdfast';
import { Redis } from 'ioredis';
import { countCommands } from './count-commands.ts';

const { PORT, HOLD_MS, WORKERS, NAME = '' } = process.env;
const holdMs = Number(HOLD_MS);
const redis = new Redis({ port: Number(PORT) });
const holdfast = new Holdfast(redis);
const lock = holdfast.lock(NAME, { waitMs: 60_000 });
const WARM_UP_MS = 500;
const waits: number[] = [];
const sent = countCommands([redis]);
let heldMs = 0;

async function worker(until: number): Promise<number> {
  let grants = 0;
  while (performance.now() < until) {
    const askedAt = performance.now();
    const lease = await lock.acquire();
    const gotAt = performance.now();
    waits.push(gotAt - askedAt);
    if (holdMs > 0) await sleep(holdMs);
    heldMs += performance.now() - gotAt;
    await lease.release();
    grants++;
  }
  return grants;
}

function all(until: number): Promise<number[]> {
  return Promise.all(Array.from({ length: Number(WORKERS) }, () => worker(until)));
}

async function run(runMs: number): Promise<void> {
  // Connections, scripts and the first queue come about outside the count.
  await all(performance.now() + WARM_UP_MS);
  waits.length = 0;
  heldMs = 0;
  sent.commands = 0;
  const until = performance.now() + runMs;
  const grants = await all(until);
  process.send?.({ type: 'done', grants, waits, heldMs, commands: sent.commands });
  await holdfast.close();
  redis.disconnect();
  process.disconnect();
}

process.once('message', (message: { runMs: number }) => void run(message.runMs));
await redis.ping();
process.send?.({ type: 'ready' });
