/** One lister or buyer, in a process of its own. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { noteUnhandled } from '../../bounded.ts';
import { connect } from '../../clients.ts';
import { nowMs } from '../../crowd/turn.ts';
import type { Lock } from '../../rivals/contender.ts';
import { contenderOf } from '../../rivals/index.ts';
import { buy, itemOf, list, lockOf, pick } from './deals.ts';
import type { Assignment, Traded } from './market.ts';

const { port, contender, role, id } = JSON.parse(process.env.ASSIGNMENT ?? '{}') as Assignment;
process.once('disconnect', () => process.exit());
noteUnhandled();
const redis = new Redis({ port });
await redis.ping();
const one = contenderOf(contender);
const client = await connect(one.on[0] ?? 'ioredis5', port);
const lock = await one.lock?.(client, { ttlMs: 10_000 });
let listed = 0;
let failures = 0;

async function under<T>({ acquire }: Lock, item: string, work: () => Promise<T>): Promise<T> {
  const release = await acquire(lockOf(item));
  try {
    return await work();
  } finally {
    await release();
  }
}

/** One operation. Resolves with whether it was a deal. */
async function operate(lock: Lock): Promise<boolean> {
  if (role === 'lister') {
    const item = `${id}-${++listed}`;
    await under(lock, item, () => list(redis, id, item, 1 + (listed % 100)));
    return true;
  }
  const member = await pick(redis);
  if (member !== undefined) return await under(lock, itemOf(member), () => buy(redis, id, member));
  await sleep(1);
  return false;
}

async function run({ from, until }: { from: number; until: number }): Promise<void> {
  const tookMs: number[] = [];
  let startedAt = nowMs();
  while (lock !== undefined && nowMs() < until) {
    const done = await operate(lock).catch(() => {
      failures++;
      return false;
    });
    if (!done) continue;
    const now = nowMs();
    if (startedAt >= from && now < until) tookMs.push(now - startedAt);
    startedAt = now;
  }
  const traded: Traded = { type: 'done', tookMs, failures };
  process.send?.(traded);
}

process.once('message', (window: { from: number; until: number }) => void run(window));
process.send?.({ type: 'ready' });
