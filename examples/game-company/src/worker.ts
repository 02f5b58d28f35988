/* A worker process: opens its own connections, lets its tasks work, and reports. */
import { Holdfast } from 'holdfast';
import { Redis } from 'ioredis';
import { MarketplaceClient } from './marketplace-client.ts';
import type { Opening, Order, Report } from './protocol.ts';
import { Team } from './team.ts';

let team: Team | undefined;

function tell(report: Report): void {
  process.send?.(report);
}

async function follow(order: Order): Promise<void> {
  if (order.do === 'open') await open(order);
  else if (order.do === 'work') await team?.work(order.guarded);
  else if (team) tell({ is: 'rested', tally: await team.rest() });
}

async function open({ name, url, prefix, marketplacePort }: Opening): Promise<void> {
  const redis = new Redis(url);
  redis.on('error', () => {}); // a command that fails is reported; ioredis would print each attempt
  await redis.ping();
  const holdfast = new Holdfast(redis, { prefix, label: `process ${name}` });
  team = new Team(holdfast, new MarketplaceClient(marketplacePort));
  tell({ is: 'ready' });
}

process.on('message', (order: Order) => {
  follow(order).catch((error: Error) => tell({ is: 'failed', why: error.message }));
});
process.on('disconnect', () => process.exit());
// Ctrl-C reaches every process of the terminal's group; the orchestrator alone decides how this one ends.
process.on('SIGINT', () => {});
