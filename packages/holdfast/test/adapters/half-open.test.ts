import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { expect, test } from 'vitest';
import { eventually, startProxy, startServer } from '../../../testkit/src/index.ts';
import { type IoredisConnection, openIoredisLink } from '../../src/adapters/ioredis-link.ts';
import type { LinkEvents } from '../../src/adapters/link.ts';
import { oneShot, openNodeRedisLink } from '../../src/adapters/node-redis-link.ts';
import { Subscriptions } from '../../src/adapters/subscriptions.ts';
import { recorder } from './kinds.ts';

const LINKS = {
  ioredis(port: number) {
    const open = openIoredisLink(
      (override): IoredisConnection => new Redis({ host: '127.0.0.1', port, ...override }),
    );
    return (_: unknown, events: LinkEvents) => open(events);
  },
  'node-redis'(port: number) {
    const open = openNodeRedisLink(() => oneShot(createClient({ socket: { host: '127.0.0.1', port } })));
    return (_: unknown, events: LinkEvents) => open(events);
  },
};

test.each(Object.entries(LINKS))('%s: a connection that fell silent is replaced', async (_, openTo) => {
  await using server = await startServer();
  await using proxy = await startProxy(server);
  const { log, events } = recorder();
  const pulse = { pingEveryMs: 100, answerWithinMs: 200 };
  const subscriber = new Subscriptions({ open: openTo(proxy.port), pulse }, events);
  await subscriber.subscribe('c');
  await new Promise((resolve) => setTimeout(resolve, 350));
  expect(log.resubscribed).toBe(0); // three pings were answered
  proxy.silence('both', 'drop');
  const late = subscriber.subscribe('late');
  await new Promise((resolve) => setTimeout(resolve, 600));
  proxy.heal();
  await late;
  await eventually(() => log.resubscribed > 0);
  await server.command('PUBLISH', 'c', 'x');
  await eventually(() => log.messages.length > 0);
  expect(log.messages).toEqual(['c x']);
  await subscriber.close();
});
