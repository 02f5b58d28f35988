/** Each supported client, made as its users make it, with an end that leaves nothing. */
import Redis5, { Cluster as Cluster5, type ClusterOptions } from 'ioredis';
import Redis6 from 'ioredis6';
import Valkey from 'iovalkey';
import {
  createClient as create6,
  createCluster as createCluster6,
  createSentinel as createSentinel6,
} from 'redis';
import {
  createClient as create5,
  createCluster as createCluster5,
  createSentinel as createSentinel5,
} from 'redis5';

export interface Made {
  readonly client: unknown;
  end(): Promise<void>;
}

export interface Address {
  readonly port: number;
  readonly password?: string;
  /** The certificate to trust; plain text without. */
  readonly ca?: string;
}

type Make = (address: Address, options?: object) => Promise<Made>;

/** What ioredis 5 and 6 and iovalkey have in common. */
interface IoLike {
  disconnect(): void;
  on(event: 'error', listener: () => void): unknown;
}

function io(Client: new (options: object) => IoLike): Make {
  return async ({ port, password, ca }, options) => {
    const tls = ca === undefined ? {} : { tls: { ca, servername: 'localhost' } };
    const client = new Client({ port, host: '127.0.0.1', ...(password && { password }), ...tls, ...options });
    client.on('error', () => {});
    return { client, end: async () => client.disconnect() };
  };
}

/** What node-redis 5 and 6 have in common. */
interface NodeLike {
  connect(): Promise<unknown>;
  destroy(): void;
  on(event: 'error', listener: () => void): unknown;
}

async function connected(client: NodeLike): Promise<Made> {
  client.on('error', () => {});
  await client.connect();
  return { client, end: async () => client.destroy() };
}

function node(create: (options: object) => unknown): Make {
  return ({ port, password, ca }, options) => {
    const socket = {
      port,
      host: '127.0.0.1',
      ...(ca !== undefined && { tls: true, ca, servername: 'localhost' }),
    };
    return connected(create({ socket, ...(password && { password }), ...options }) as NodeLike);
  };
}

export const clients = {
  'ioredis 5': io(Redis5 as unknown as new (options: object) => IoLike),
  'ioredis 6': io(Redis6 as unknown as new (options: object) => IoLike),
  iovalkey: io(Valkey as unknown as new (options: object) => IoLike),
  'node-redis 5': node(create5),
  'node-redis 6': node(create6),
} satisfies Record<string, Make>;

export type ClientName = keyof typeof clients;

export const clusters: Record<string, (ports: readonly number[]) => Promise<Made>> = {
  'ioredis 5 Cluster': async (ports) => ioCluster(Cluster5 as never, ports),
  'ioredis 6 Cluster': async (ports) => ioCluster(Redis6.Cluster as never, ports),
  'node-redis 5 createCluster': (ports) =>
    connected(createCluster5({ rootNodes: rootNodes(ports) }) as never),
  'node-redis 6 createCluster': (ports) =>
    connected(createCluster6({ rootNodes: rootNodes(ports) }) as never),
};

function ioCluster(
  Cluster: new (nodes: object[], options: ClusterOptions) => IoLike,
  ports: readonly number[],
): Made {
  const client = new Cluster(
    ports.map((port) => ({ port, host: '127.0.0.1' })),
    {},
  );
  client.on('error', () => {});
  return { client, end: async () => client.disconnect() };
}

function rootNodes(ports: readonly number[]): { url: string }[] {
  return ports.map((port) => ({ url: `redis://127.0.0.1:${port}` }));
}

export const sentinels: Record<string, (name: string, ports: readonly number[]) => Promise<Made>> = {
  'ioredis 5 with Sentinel': (name, ports) => ioSentinel(clients['ioredis 5'], name, ports),
  'ioredis 6 with Sentinel': (name, ports) => ioSentinel(clients['ioredis 6'], name, ports),
  'node-redis 5 createSentinel': (name, ports) =>
    connected(createSentinel5({ name, sentinelRootNodes: hosts(ports) }) as never),
  'node-redis 6 createSentinel': (name, ports) =>
    connected(createSentinel6({ name, sentinelRootNodes: hosts(ports) }) as never),
};

function ioSentinel(make: Make, name: string, ports: readonly number[]): Promise<Made> {
  return make({ port: 0 }, { name, sentinels: hosts(ports) });
}

function hosts(ports: readonly number[]): { host: string; port: number }[] {
  return ports.map((port) => ({ host: '127.0.0.1', port }));
}
