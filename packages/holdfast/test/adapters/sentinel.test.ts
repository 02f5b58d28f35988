import { Redis as Redis5 } from 'ioredis';
import { Redis as Redis6 } from 'ioredis6';
import { Redis as Valkey } from 'iovalkey';
import * as redis6 from 'redis';
import * as redis5 from 'redis5';
import { describe, expect, test } from 'vitest';
import { eventually, type SentinelGroup, startSentinel } from '../../../testkit/src/index.ts';
import { fromIoredis, fromIovalkey, fromNodeRedisSentinel } from '../../src/adapters/index.ts';
import type { Client } from '../../src/client.ts';
import { recorder } from './kinds.ts';

interface Opened {
  client: Client;
  end(): unknown;
}

function ioredis(Class: unknown) {
  return async (group: SentinelGroup): Promise<Opened> => {
    const sentinels = group.sentinels.map(({ port }) => ({ host: '127.0.0.1', port }));
    const raw = new (Class as typeof Redis5)({ sentinels, name: group.masterName, keyPrefix: 'app:' });
    raw.on('error', () => {});
    const client = Class === Valkey ? fromIovalkey(raw) : fromIoredis(raw);
    return { client, end: () => raw.disconnect() };
  };
}

function nodeRedis(library: unknown, RESP: 2 | 3, keyPrefix?: string) {
  const { createSentinel } = library as typeof redis6;
  return async (group: SentinelGroup): Promise<Opened> => {
    const sentinelRootNodes = group.sentinels.map(({ port }) => ({ host: '127.0.0.1', port }));
    const raw = createSentinel({
      name: group.masterName,
      sentinelRootNodes,
      RESP,
      ...(keyPrefix && { keyPrefix }),
    });
    raw.on('error', () => {});
    const client = fromNodeRedisSentinel(raw);
    expect(client.state).toBe('not connected');
    await raw.connect();
    return { client, end: () => raw.destroy() };
  };
}

describe.each([
  { name: 'ioredis 5', open: ioredis(Redis5), keyPrefix: 'app:' },
  { name: 'ioredis 6', open: ioredis(Redis6), keyPrefix: 'app:' },
  { name: 'iovalkey', open: ioredis(Valkey), keyPrefix: 'app:' },
  { name: 'node-redis 6 RESP3', open: nodeRedis(redis6, 3, 'app:'), keyPrefix: 'app:' },
  { name: 'node-redis 6 RESP2', open: nodeRedis(redis6, 2), keyPrefix: '' },
  { name: 'node-redis 5 RESP3', open: nodeRedis(redis5, 3), keyPrefix: '' },
  { name: 'node-redis 5 RESP2', open: nodeRedis(redis5, 2), keyPrefix: '' },
])('$name', ({ open, keyPrefix }) => {
  test('follows the master', { timeout: 60_000 }, async () => {
    await using group = await startSentinel();
    const { client, end } = await open(group);
    const { log, events } = recorder();
    const subscriber = await client.openSubscriber(events);
    try {
      expect(await client.send({ name: 'SET', keys: ['k'], tail: ['v'] })).toBe('OK');
      expect(String(await group.master.command('GET', `${keyPrefix}k`))).toBe('v');
      await subscriber.subscribe('c');
      await group.master.command('PUBLISH', 'c', 'one');
      await eventually(() => log.messages.length === 1);
      await group.master.kill9();
      await eventually(() => log.resubscribed > 0, { withinMs: 20_000 });
      await eventually(async () => {
        await group.replica.command('PUBLISH', 'c', 'two');
        return log.messages.includes('c two');
      });
      await eventually(() => client.send({ name: 'SET', keys: ['k'], tail: ['w'] }), { withinMs: 20_000 });
      expect(client.state).toBe('usable');
    } finally {
      await subscriber.close();
      client.detach();
      await end();
    }
    await eventually(() => client.state === 'closed');
  });
});
