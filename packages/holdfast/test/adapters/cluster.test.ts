import { Cluster as Cluster5 } from 'ioredis';
import { Cluster as Cluster6 } from 'ioredis6';
import { Cluster as ValkeyCluster } from 'iovalkey';
import * as redis6 from 'redis';
import * as redis5 from 'redis5';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Cluster, eventually, keySlot, startCluster } from '../../../testkit/src/index.ts';
import {
  fromIoredisCluster,
  fromIovalkeyCluster,
  fromNodeRedisCluster,
  type IoredisClusterLike,
} from '../../src/adapters/index.ts';
import type { Client } from '../../src/client.ts';
import { recorder } from './kinds.ts';

interface Opened {
  client: Client;
  end(): unknown;
}
interface ClusterKind {
  name: string;
  prefixes: boolean;
  open(cluster: Cluster, keyPrefix: string): Promise<Opened>;
}

type IoredisClusterClass = new (
  nodes: object[],
  options: object,
) => IoredisClusterLike & { disconnect(): void; on(event: 'error', listener: () => void): unknown };

function ioredis(name: string, Class: unknown, redisOptions: object = {}, options: object = {}): ClusterKind {
  return {
    name,
    prefixes: true,
    async open(cluster, keyPrefix) {
      const nodes = cluster.ports.slice(0, 2).map((port) => ({ host: '127.0.0.1', port }));
      const raw = new (Class as IoredisClusterClass)(nodes, { keyPrefix, redisOptions, ...options });
      raw.on('error', () => {});
      const client = name === 'iovalkey' ? fromIovalkeyCluster(raw) : fromIoredisCluster(raw);
      await eventually(() => raw.status === 'ready');
      return { client, end: () => raw.disconnect() };
    },
  };
}

function nodeRedis(
  name: string,
  library: unknown,
  RESP: 2 | 3,
  prefixes: boolean,
  options: object = {},
): ClusterKind {
  const { createCluster } = library as typeof redis6;
  return {
    name: `${name} RESP${RESP}`,
    prefixes,
    async open(cluster, keyPrefix) {
      const rootNodes = cluster.ports.map((port) => ({ socket: { host: '127.0.0.1', port } }));
      const raw = createCluster({ rootNodes, RESP, ...(prefixes && { keyPrefix }), ...options });
      raw.on('error', () => {});
      await raw.connect();
      return { client: fromNodeRedisCluster(raw), end: () => raw.destroy() };
    },
  };
}

/** Nodes are reached by another name than the one they are called by. */
const toLocalhost = (address: string) => ({ host: 'localhost', port: Number(address.split(':')[1]) });

const KINDS: ClusterKind[] = [
  ioredis('ioredis 5', Cluster5),
  ioredis('ioredis 6', Cluster6),
  ioredis('ioredis 6 RESP2', Cluster6, { protocol: 2 }),
  ioredis(
    'ioredis 5 pipelining and natMap',
    Cluster5,
    {},
    { enableAutoPipelining: true, natMap: toLocalhost },
  ),
  ioredis('iovalkey', ValkeyCluster),
  nodeRedis('node-redis 6', redis6, 3, true),
  nodeRedis('node-redis 6', redis6, 2, true),
  nodeRedis('node-redis 5', redis5, 3, false),
  nodeRedis('node-redis 5', redis5, 2, false),
  nodeRedis('node-redis 6 nodeAddressMap and few connections', redis6, 3, true, {
    nodeAddressMap: toLocalhost,
    minimizeConnections: true,
  }),
];

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
}, 60_000);
afterAll(async () => {
  await cluster?.shutdown();
});

describe.each(KINDS)('$name', ({ open, prefixes }) => {
  beforeEach(async () => {
    for (const { server } of cluster.nodes) if (!server.running) await server.start();
    await cluster.settled();
  }, 60_000);

  async function opened(keyPrefix = ''): Promise<Opened & AsyncDisposable> {
    const one = await open(cluster, keyPrefix);
    return {
      ...one,
      async [Symbol.asyncDispose]() {
        one.client.detach();
        await one.end();
      },
    };
  }
  const CHANNELS = ['wake:{a}', 'wake:{b}', 'wake:{c}', 'other:{a}'];
  /** Refused while the nodes still talk about a fail-over; once it succeeds, it has been sent once. */
  const publish = (channel: string, text: string) =>
    eventually(
      async () => {
        const { server } = await cluster.nodeForSlot(keySlot(channel));
        const script = "redis.call('spublish', KEYS[1], ARGV[1]) return 'sent'";
        return server.command('EVAL', script, 1, channel, text);
      },
      { withinMs: 10_000 },
    );
  const subscribedAtOwner = async (channel: string) => {
    const owner = await cluster.nodeForSlot(keySlot(channel));
    const reply = await owner.server.command('PUBSUB', 'SHARDNUMSUB', channel);
    return Number((reply as unknown[])[1]) === 1;
  };
  const allBack = (withinMs: number) =>
    eventually(async () => (await Promise.all(CHANNELS.map(subscribedAtOwner))).every(Boolean), { withinMs });

  async function listening(client: Client) {
    const { log, events } = recorder();
    const subscriber = await client.openSubscriber(events);
    await Promise.all(CHANNELS.map((channel) => subscriber.subscribe(channel)));
    async function expectEachOnce(text: string) {
      log.messages.length = 0;
      for (const channel of CHANNELS) await publish(channel, text);
      await eventually(() => log.messages.length >= CHANNELS.length);
      await new Promise((resolve) => setTimeout(resolve, 30));
      expect([...log.messages].sort()).toEqual(CHANNELS.map((channel) => `${channel} ${text}`).sort());
    }
    return {
      log,
      subscriber,
      expectEachOnce,
      async [Symbol.asyncDispose]() {
        await subscriber.close();
      },
    };
  }

  test('sends to the node of the first key', async () => {
    const keyPrefix = prefixes ? 'app:' : '';
    await using one = await opened(keyPrefix);
    expect(one.client.keyPrefix).toBe(keyPrefix);
    const script = "redis.call('set', KEYS[1], ARGV[1]) return KEYS[1]";
    for (const tag of ['a', 'b', 'c', 'd', 'e', 'f']) {
      const keys = [`{${tag}}1`, `{${tag}}2`];
      expect(await one.client.send({ name: 'EVAL', head: [script, '2'], keys, tail: ['x'] })).toBe(
        `${keyPrefix}{${tag}}1`,
      );
      expect(await one.client.send({ name: 'GET', keys: [`{${tag}}1`] })).toBe('x');
      expect(Number(await one.client.send({ name: 'DEL', keys }))).toBe(1);
      await expect(
        one.client.send({ name: 'EVALSHA', head: ['f'.repeat(40), '1'], keys: [`{${tag}}1`] }),
      ).rejects.toThrow(/^NOSCRIPT/);
    }
    expect(await one.client.send({ name: 'PING', keys: [] })).toBe('PONG');
    expect(await one.client.send({ name: 'TIME', keys: [] })).toHaveLength(2);
  });

  test('keeps sharded subscriptions through a migration, a planned fail-over and the end of a master', async () => {
    await using one = await opened();
    await using listener = await listening(one.client);
    const { log, subscriber, expectEachOnce } = listener;
    await expectEachOnce('before');

    const slot = keySlot('wake:{a}');
    const from = await cluster.nodeForSlot(slot);
    const masters = new Set(
      await Promise.all(['wake:{b}', 'wake:{c}'].map((c) => cluster.nodeForSlot(keySlot(c)))),
    );
    const to = [...masters].find((node) => node !== from);
    if (!to) throw new Error('no other master');
    await cluster.migrateSlot(slot, cluster.nodes.indexOf(to));
    await allBack(2000);
    await eventually(() => log.resubscribed > 0);
    await expectEachOnce('migrated');
    await cluster.migrateSlot(slot, cluster.nodes.indexOf(from));
    await allBack(2000);
    await expectEachOnce('migrated back');

    const told = log.resubscribed;
    const shard = cluster.nodes.filter(
      ({ masterIndex }) => (masterIndex ?? -1) === (from.masterIndex ?? cluster.nodes.indexOf(from)),
    );
    const replica = [...shard, cluster.node(from.masterIndex ?? cluster.nodes.indexOf(from))].find(
      (node) => node !== from,
    );
    if (!replica) throw new Error('no replica');
    await cluster.failover(replica);
    await eventually(async () => (await cluster.nodeForSlot(slot)) === replica, { withinMs: 5000 });
    await eventually(() => log.resubscribed > told); // within 5 s; it may be at the replica, which hears all

    await expectEachOnce('failed over');

    await cluster.settled();
    const toldBefore = log.resubscribed;
    const dropsBefore = one.client.drops;
    await replica.server.kill9();
    await eventually(async () => (await cluster.nodeForSlot(slot)) === from, { withinMs: 15_000 });
    await allBack(2500);
    await eventually(() => log.resubscribed > toldBefore);
    await expectEachOnce('promoted');
    await eventually(() => one.client.send({ name: 'SET', keys: ['{a}k'], tail: ['v'] }), {
      withinMs: 10_000,
    });
    await replica.server.start();
    expect(log.dropped).toEqual([]);
    if (one.client.kind === 'ioredis') expect(one.client.drops).toBeGreaterThan(dropsBefore);
    await subscriber.unsubscribe('wake:{a}');
    await eventually(async () => !(await subscribedAtOwner('wake:{a}')));
  }, 60_000);
});
