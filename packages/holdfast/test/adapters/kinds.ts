import { Redis as Redis5 } from 'ioredis';
import { Redis as Redis6 } from 'ioredis6';
import { Redis as Valkey } from 'iovalkey';
import * as redis6 from 'redis';
import * as redis5 from 'redis5';
import { fromIoredis, fromIovalkey, fromNodeRedis, fromNodeRedisPool } from '../../src/adapters/index.ts';
import type { Client } from '../../src/client.ts';

export interface Wish {
  port: number;
  username?: string;
  password?: string;
  keyPrefix?: string;
  db?: number;
  /** The certificate to trust, for TLS. */
  ca?: string;
}

export interface Opened {
  raw: object;
  client: Client;
  end(): unknown;
}

export interface Kind {
  name: string;
  prefixes: boolean;
  /** Without waiting for a connection. */
  open(wish: Wish): Opened;
  connect?(raw: object): Promise<unknown>;
}

type IoredisClass = new (options: object) => Redis5;

function ioredis(name: string, Class: unknown, extra: object = {}): Kind {
  return {
    name,
    prefixes: true,
    open({ ca, ...wish }) {
      const tls = ca && { tls: { ca, servername: 'localhost' } };
      const raw = new (Class as IoredisClass)({ host: '127.0.0.1', ...wish, ...tls, ...extra });
      raw.on('error', () => {});
      const client = name.startsWith('iovalkey') ? fromIovalkey(raw) : fromIoredis(raw);
      return { raw, client, end: () => raw.disconnect() };
    },
  };
}

function nodeRedisOptions({ port, db, ca, ...wish }: Wish, RESP: 2 | 3) {
  const tls = ca ? { tls: true as const, ca, servername: 'localhost' } : {};
  return {
    ...wish,
    RESP,
    ...(db === undefined ? {} : { database: db }),
    socket: { host: '127.0.0.1', port, ...tls, reconnectStrategy: 50 },
  };
}

function nodeRedis(name: string, library: unknown, RESP: 2 | 3, prefixes: boolean): Kind {
  const { createClient } = library as typeof redis6;
  return {
    name: `${name} RESP${RESP}`,
    prefixes,
    open(wish) {
      const raw = createClient(nodeRedisOptions(wish, RESP));
      raw.on('error', () => {});
      return { raw, client: fromNodeRedis(raw), end: () => raw.isOpen && raw.destroy() };
    },
    connect: (raw) => (raw as ReturnType<typeof createClient>).connect(),
  };
}

function pool(name: string, library: unknown, prefixes: boolean): Kind {
  const { createClientPool } = library as typeof redis6;
  return {
    name,
    prefixes,
    open(wish) {
      const raw = createClientPool(nodeRedisOptions(wish, 3));
      raw.on('error', () => {});
      return { raw, client: fromNodeRedisPool(raw), end: () => raw.destroy() };
    },
    connect: (raw) => (raw as ReturnType<typeof createClientPool>).connect(),
  };
}

export const KINDS: Kind[] = [
  ioredis('ioredis 5', Redis5),
  ioredis('ioredis 6', Redis6),
  ioredis('ioredis 6 RESP2', Redis6, { protocol: 2 }),
  ioredis('ioredis 5 pipelining', Redis5, { enableAutoPipelining: true }),
  ioredis('ioredis 5 lazy', Redis5, { lazyConnect: true }),
  ioredis('iovalkey', Valkey),
  nodeRedis('node-redis 6', redis6, 3, true),
  nodeRedis('node-redis 6', redis6, 2, true),
  nodeRedis('node-redis 5', redis5, 3, false),
  nodeRedis('node-redis 5', redis5, 2, false),
  pool('node-redis 6 pool', redis6, true),
  pool('node-redis 5 pool', redis5, false),
];

/** What a subscriber told, and promises for what it is going to tell. */
export function recorder() {
  const messages: string[] = [];
  const dropped: string[] = [];
  const log = { messages, dropped, resubscribed: 0 };
  const events = {
    message: (channel: string, text: string) => void messages.push(`${channel} ${text}`),
    resubscribed: () => void log.resubscribed++,
    dropped: (channel: string) => void dropped.push(channel),
  };
  return { log, events };
}
