/** Connections of the three clients that the library is measured on. Each is loaded when it is asked for: a process that uses one is not slowed down by the others. */
import type { Redis } from 'ioredis';

export type ClientId = 'ioredis5' | 'ioredis6' | 'node-redis';
export const CLIENT_IDS: readonly ClientId[] = ['ioredis5', 'ioredis6', 'node-redis'];
export const CLIENT_LABELS: Readonly<Record<ClientId, string>> = {
  ioredis5: 'ioredis 5',
  ioredis6: 'ioredis 6',
  'node-redis': 'node-redis 6',
};

async function nodeRedis(port: number) {
  const { createClient } = await import('redis');
  return createClient({ socket: { host: '127.0.0.1', port } });
}

type NodeRedis = Awaited<ReturnType<typeof nodeRedis>>;

/** One connection, at the client's defaults. */
export type Client =
  | { readonly kind: 'ioredis'; readonly port: number; readonly redis: Redis; close(): void }
  | { readonly kind: 'node-redis'; readonly port: number; readonly redis: NodeRedis; close(): void };

/** Resolves when it is connected. Errors of the connection show where it is used. */
export async function connect(id: ClientId, port: number): Promise<Client> {
  if (id === 'node-redis') {
    const redis = await nodeRedis(port);
    redis.on('error', () => {});
    await redis.connect();
    return { kind: 'node-redis', port, redis, close: () => redis.destroy() };
  }
  const redis = new (await ioredis(id))({ port });
  redis.on('error', () => {});
  await redis.ping();
  return { kind: 'ioredis', port, redis, close: () => redis.disconnect() };
}

/** What is used of ioredis 6 has the same types. */
async function ioredis(id: ClientId): Promise<typeof Redis> {
  if (id === 'ioredis6') return (await import('ioredis6')).Redis as unknown as typeof Redis;
  return (await import('ioredis')).Redis;
}

/** For libraries that know ioredis only. */
export function ioredisOf(client: Client): Redis {
  if (client.kind !== 'ioredis') throw new Error('needs ioredis');
  return client.redis;
}
