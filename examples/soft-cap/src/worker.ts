/* A worker process: opens its own connection, then runs tasks as it is told. */
import { followOrders, tell, workerName } from '@holdfast/example-common/worker';
import { Holdfast } from 'holdfast';
import { Redis } from 'ioredis';
import type { Happening, Order } from './protocol.ts';
import { Tasks } from './tasks.ts';

let tasks: Tasks | undefined;

async function open({ url, prefix, limit, database }: Order & { do: 'open' }): Promise<void> {
  const redis = new Redis(url);
  redis.on('error', () => {}); // a command that fails is reported; ioredis would print each attempt
  await Promise.all([redis.ping(), fetch(database, { method: 'HEAD' })]);
  const holdfast = new Holdfast(redis, { prefix, label: `worker ${workerName()}` });
  holdfast.on('warning', ({ code, message }) => tell<Happening>({ is: 'warned', code, message }));
  holdfast.on('lost', ({ reason }) => tell<Happening>({ is: 'lost', reason }));
  tasks = new Tasks({ database, holdfast, limit });
  tell<Happening>({ is: 'ready' });
}

followOrders(async (order: Order) => {
  if (order.do === 'open') await open(order);
  else if (order.do === 'stop') tasks?.stop();
  else tell<Happening>({ is: 'stopped', queries: (await tasks?.run(order.tasks)) ?? 0 });
});
