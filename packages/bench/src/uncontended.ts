/** A free lock, one acquire + release after the other, against the two bare commands. */
import { startServer } from '@holdfast/testkit';
import { Holdfast } from 'holdfast';
import { Redis } from 'ioredis';
import { barePair, loadBare } from './bare.ts';
import { type Compared, compare } from './compare.ts';
import { type Part, roundsOf, row, us } from './part.ts';

async function measure(redis: Redis, rounds: number, pairs: number): Promise<Compared> {
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

export const uncontended: Part = {
  id: 'uncontended',
  what: 'one acquire + release after the other',
  async run(settings) {
    await using server = await startServer();
    const redis = new Redis({ port: server.port });
    const alone = await measure(redis, roundsOf(settings), settings.quick ? 300 : 2_000);
    redis.disconnect();
    return {
      figures: { alone },
      rows: [
        row('acquire + release: latency / bare', alone.latencyRatio, 1.15),
        row('acquire + release: server time / bare', alone.serverRatio, 1.6),
      ],
      notes: [
        `bare pair ${us(alone.bareUs)} (server ${us(alone.bareServerUs)}), Holdfast ${us(alone.oursUs)} (server ${us(alone.oursServerUs)})`,
      ],
    };
  },
};
