/** Two ways to do the same, in interleaved rounds: our clock and the server's own account. */
import type { Redis } from 'ioredis';
import { commandStats, median } from './stats.ts';

export interface Side {
  /** One acquire and release, or what stands for them. */
  readonly pair: () => Promise<void>;
  /** Commands as the client sends them; those inside scripts are part of their script's time. */
  readonly commands: readonly string[];
}

export interface Compared {
  readonly bareUs: number;
  readonly oursUs: number;
  readonly latencyRatio: number;
  readonly bareServerUs: number;
  readonly oursServerUs: number;
  readonly serverRatio: number;
}

/** Medians over the rounds; each ratio is of two neighbouring rounds. */
export async function compare(
  redis: Redis,
  bare: Side,
  ours: Side,
  rounds: number,
  pairs: number,
): Promise<Compared> {
  await round(redis, bare, pairs);
  await round(redis, ours, pairs);
  const seen: { bare: Round; ours: Round }[] = [];
  for (let i = 0; i < rounds; i++)
    seen.push({ bare: await round(redis, bare, pairs), ours: await round(redis, ours, pairs) });
  return {
    bareUs: median(seen.map(({ bare }) => bare.us)),
    oursUs: median(seen.map(({ ours }) => ours.us)),
    latencyRatio: median(seen.map(({ bare, ours }) => ours.us / bare.us)),
    bareServerUs: median(seen.map(({ bare }) => bare.serverUs)),
    oursServerUs: median(seen.map(({ ours }) => ours.serverUs)),
    serverRatio: median(seen.map(({ bare, ours }) => ours.serverUs / bare.serverUs)),
  };
}

interface Round {
  readonly us: number;
  readonly serverUs: number;
}

/** Mean time of one pair. */
async function round(redis: Redis, { pair, commands }: Side, pairs: number): Promise<Round> {
  await redis.config('RESETSTAT');
  const startedAt = performance.now();
  for (let i = 0; i < pairs; i++) await pair();
  const us = ((performance.now() - startedAt) * 1000) / pairs;
  return { us, serverUs: commandStats(await redis.info('commandstats'), commands).usec / pairs };
}
