/** One acquire + release after the other, and the server's own time for it, against the floor; rounds interleaved. */
import { Holdfast, type Lock } from 'holdfast';
import type { Redis } from 'ioredis';
import { barePair, loadBare } from './bare.ts';
import { commandStats, median } from './stats.ts';

export interface Uncontended {
  readonly bareUs: number;
  readonly holdfastUs: number;
  readonly latencyRatio: number;
  readonly bareServerUs: number;
  readonly holdfastServerUs: number;
  readonly serverRatio: number;
}

/** Commands as clients send them; those inside scripts are part of their script's time. */
const BARE = ['set', 'evalsha'];
const SENT = ['set', 'zadd', 'evalsha'];

export async function measureUncontended(redis: Redis, rounds: number, pairs: number): Promise<Uncontended> {
  await loadBare(redis);
  await using holdfast = new Holdfast(redis);
  const lock = holdfast.lock('bench:holdfast');
  const bare = () => barePair(redis, 'bench:bare');
  const ours = () => holdfastPair(lock);
  const ratios = { latency: [] as number[], server: [] as number[] };
  const times = {
    bare: [] as number[],
    ours: [] as number[],
    bareServer: [] as number[],
    oursServer: [] as number[],
  };
  await round(redis, bare, BARE, pairs);
  await round(redis, ours, SENT, pairs);
  for (let i = 0; i < rounds; i++) {
    const b = await round(redis, bare, BARE, pairs);
    const h = await round(redis, ours, SENT, pairs);
    times.bare.push(b.us);
    times.ours.push(h.us);
    times.bareServer.push(b.serverUs);
    times.oursServer.push(h.serverUs);
    ratios.latency.push(h.us / b.us);
    ratios.server.push(h.serverUs / b.serverUs);
  }
  return {
    bareUs: median(times.bare),
    holdfastUs: median(times.ours),
    latencyRatio: median(ratios.latency),
    bareServerUs: median(times.bareServer),
    holdfastServerUs: median(times.oursServer),
    serverRatio: median(ratios.server),
  };
}

async function holdfastPair(lock: Lock): Promise<void> {
  const lease = await lock.acquire();
  await lease.release();
}

/** Mean time of one pair, on our clock and by the server's account. */
async function round(redis: Redis, pair: () => Promise<void>, names: string[], pairs: number) {
  await redis.config('RESETSTAT');
  const startedAt = performance.now();
  for (let i = 0; i < pairs; i++) await pair();
  const us = ((performance.now() - startedAt) * 1000) / pairs;
  return { us, serverUs: commandStats(await redis.info('commandstats'), names).usec / pairs };
}
