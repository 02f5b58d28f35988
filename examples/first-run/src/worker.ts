/* A worker process: opens its own connection, then does what it is told and reports. */
import { followOrders, machineNow } from '@holdfast/example-common/worker';
import { Holdfast } from 'holdfast';
import { Redis } from 'ioredis';
import { Clerk } from './clerk.ts';
import type { Happening, Opening, Order } from './protocol.ts';
import { RedisShop } from './shop.ts';

let name = '';
let clerk: Clerk | undefined;

function tell(happening: Happening): Promise<void> {
  const report = { ...happening, from: name, at: machineNow() };
  return new Promise((resolve) => process.send?.(report, undefined, undefined, () => resolve()));
}

async function open(opening: Opening): Promise<void> {
  const { url, prefix } = opening;
  name = opening.name;
  const redis = new Redis(url);
  redis.on('error', () => {}); // a command that fails is reported; ioredis would print each attempt
  await redis.ping();
  const holdfast = new Holdfast(redis, { prefix, label: `worker ${name}` });
  clerk = new Clerk({ name, holdfast, shop: new RedisShop(redis, prefix), tell });
  await tell({ is: 'ready' });
}

followOrders<Opening | Order>(async (order) => {
  await (order.do === 'open' ? open(order) : clerk?.follow(order));
});
