/** A semaphore with free permits: `tryAcquire` + `release` against two bare scripts, and with many leases held against few. */
import { createHash, randomBytes } from 'node:crypto';
import { startServer } from '@holdfast/testkit';
import { Holdfast, type SemaphoreLease } from 'holdfast';
import { Redis } from 'ioredis';
import { type Compared, compare, type Side } from './compare.ts';
import { type Part, roundsOf, row, us } from './part.ts';

const ADD = `return redis.call('zadd',KEYS[1],ARGV[1],ARGV[2])`;
const REMOVE = `return redis.call('zrem',KEYS[1],ARGV[1])`;
const LIMIT = 1_000_000;
const COMMANDS = ['evalsha'];

interface SemaphoreCost {
  readonly alone: Compared;
  /** `bare` stands for few leases held. */
  readonly crowded: Compared;
}

async function measure(redis: Redis, rounds: number, pairs: number, many: number): Promise<SemaphoreCost> {
  await using holdfast = new Holdfast(redis);
  const ours = (name: string): Side => {
    const semaphore = holdfast.semaphore(name, { limit: LIMIT });
    return { pair: async () => void (await (await semaphore.tryAcquire())?.release()), commands: COMMANDS };
  };
  const alone = await compare(redis, await bareScripts(redis), ours('bench:semaphore'), rounds, pairs);
  await hold(holdfast, 'bench:few', 10);
  const crowd = await hold(holdfast, 'bench:many', many);
  const crowded = await compare(redis, ours('bench:few'), ours('bench:many'), rounds, pairs);
  await inBatches(crowd, (lease) => lease.release());
  return { alone, crowded };
}

async function bareScripts(redis: Redis): Promise<Side> {
  const [add, remove] = [ADD, REMOVE].map((body) => createHash('sha1').update(body).digest('hex')) as [
    string,
    string,
  ];
  await redis.script('LOAD', ADD);
  await redis.script('LOAD', REMOVE);
  const pair = async () => {
    const member = randomBytes(16).toString('base64url');
    await redis.evalsha(add, 1, 'bench:bare-zset', Date.now() + 10_000, member);
    await redis.evalsha(remove, 1, 'bench:bare-zset', member);
  };
  return { pair, commands: COMMANDS };
}

async function hold(holdfast: Holdfast, name: string, count: number): Promise<SemaphoreLease[]> {
  const semaphore = holdfast.semaphore(name, { limit: LIMIT, ttlMs: 3_600_000, renew: false });
  return await inBatches(Array(count).fill(1), () => semaphore.acquire());
}

async function inBatches<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let i = 0; i < items.length; i += 1_000)
    results.push(...(await Promise.all(items.slice(i, i + 1_000).map(work))));
  return results;
}

export const semaphore: Part = {
  id: 'semaphore',
  what: 'a semaphore, alone and with many leases held',
  async run(settings) {
    const { quick } = settings;
    await using server = await startServer();
    const redis = new Redis({ port: server.port });
    const { alone, crowded } = await measure(
      redis,
      roundsOf(settings),
      quick ? 300 : 2_000,
      quick ? 5_000 : 100_000,
    );
    redis.disconnect();
    const many = `… ${quick ? '5,000' : '100,000'} leases held / 10 leases held`;
    return {
      figures: { semaphore: { alone, crowded } },
      rows: [
        row('semaphore, tryAcquire + release: latency / bare scripts', alone.latencyRatio, 1.3),
        row(`${many}: latency`, crowded.latencyRatio, 2),
        row(`${many}: server time`, crowded.serverRatio, 2),
      ],
      notes: [
        `semaphore: bare scripts ${us(alone.bareUs)} (server ${us(alone.bareServerUs)}), Holdfast ${us(alone.oursUs)} (server ${us(alone.oursServerUs)}); with many leases ${us(crowded.oursUs)} (server ${us(crowded.oursServerUs)})`,
      ],
    };
  },
};
