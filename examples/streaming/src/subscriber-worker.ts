/* A subscriber process: opens its own connection to Redis, then does what it is told and reports. */
import { followOrders, tell, workerName } from '@holdfast/example-common/worker';
import { Holdfast } from 'holdfast';
import { Redis } from 'ioredis';
import type { Happening, Order } from './protocol.ts';
import { Subscriber } from './subscriber.ts';

/** A subscriber that cannot reach Redis shall not wait long for an answer to its release. */
const COMMAND_TIMEOUT_MS = 500;

let subscriber: Subscriber | undefined;

async function open({ url, servername, ttlMs, prefix, stream }: Order & { do: 'open' }): Promise<void> {
  const redis = servername ? new Redis(url, { tls: { servername } }) : new Redis(url);
  redis.on('error', () => {}); // a command that fails is reported; ioredis would print each attempt
  // Both once before it counts: what is loaded at first use may keep a busy machine longer than a lease lasts.
  await Promise.all([redis.ping(), fetch(stream, { method: 'HEAD' })]);
  const name = workerName();
  const label = `subscriber ${name}`;
  const holdfast = new Holdfast(redis, { prefix, label, commandTimeoutMs: COMMAND_TIMEOUT_MS });
  subscriber = new Subscriber({ name, stream, ttlMs, holdfast });
  tell<Happening>({ is: 'ready' });
}

followOrders(async (order: Order) => {
  if (order.do === 'open') await open(order);
  else if (order.do === 'subscribe') await subscriber?.subscribe();
  else subscriber?.end();
});
tell<Happening>({ is: 'started' });
