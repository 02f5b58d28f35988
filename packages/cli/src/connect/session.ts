/** What a verb works with: a Holdfast instance on the server (or servers) that the options name. */
import { Holdfast, type HoldfastOptions } from 'holdfast';
import { Redis } from 'ioredis';
import { IN_A_CLUSTER, unavailable, usage } from '../say/failure.ts';
import { note } from '../say/report.ts';
import { type Connection, connect, connectMajority } from './client.ts';
import { parsePlace, splitUrls } from './place.ts';

export interface ConnectionOptions {
  readonly url?: string;
  readonly quorum?: string;
  readonly prefix?: string;
  readonly json?: true;
}

export interface Session extends AsyncDisposable {
  readonly holdfast: Holdfast;
  readonly connections: readonly Connection[];
  /** `billing:`, or nothing. */
  readonly prefix: string;
  readonly quorum: boolean;
}

const DEFAULT_URL = 'redis://127.0.0.1:6379';

export async function openSession(options: ConnectionOptions, more: HoldfastOptions = {}): Promise<Session> {
  const connections = await openConnections(options);
  await Promise.all(connections.map(refuseClusterNode));
  const clients = connections.map(({ client }) => client);
  const prefix = options.prefix?.replace(/:$/, '');
  const settings = { ...more, ...(prefix !== undefined && { prefix }) };
  const holdfast = made(() => new Holdfast(clients.length === 1 ? clients[0] : clients, settings), clients);
  holdfast.on('warning', ({ message }) => note(message, options.json));
  return {
    holdfast,
    connections,
    prefix: prefix === undefined ? '' : `${prefix}:`,
    quorum: clients.length > 1,
    [Symbol.asyncDispose]: async () => {
      await holdfast.close();
      for (const client of clients) client.disconnect();
    },
  };
}

/** One node of a Cluster has a part of the names only, and answers for the rest with an error that looks as if it would pass. */
async function refuseClusterNode({ client, place }: Connection): Promise<void> {
  if (place.kind === 'cluster' || !(client instanceof Redis) || client.status !== 'ready') return;
  // A user who may not ask learns it later.
  const told = await client.info('cluster').catch(() => '');
  if (!told.includes('cluster_enabled:1')) return;
  const size = /cluster_size:(\d+)/.exec(String(await client.cluster('INFO').catch(() => '')))?.[1];
  if (size === '1') return;
  client.disconnect();
  throw unavailable(IN_A_CLUSTER);
}

function made(make: () => Holdfast, clients: readonly { disconnect(): void }[]): Holdfast {
  try {
    return make();
  } catch (error) {
    for (const client of clients) client.disconnect();
    throw error;
  }
}

export async function openConnections({
  url,
  quorum,
}: Pick<ConnectionOptions, 'url' | 'quorum'>): Promise<Connection[]> {
  if (quorum === undefined) return [await connect(parsePlace(url ?? (process.env.REDIS_URL || DEFAULT_URL)))];
  if (url !== undefined) throw usage('--url and --quorum say two things; use one of them');
  const urls = splitUrls(quorum);
  if (urls.length < 2) throw usage('--quorum wants several addresses with commas between them, best 3 or 5');
  return connectMajority(urls.map(parsePlace));
}

export interface Server {
  /** For people. */
  readonly shown: string;
  readonly redis: Redis;
}

/** Every server that has keys of its own: in a Cluster each master. */
export function servers(connections: readonly Connection[]): Server[] {
  return connections.flatMap(({ client, place }) => {
    if (client instanceof Redis) return [{ shown: place.shown, redis: client }];
    return client.nodes('master').map((redis) => {
      const { host, port } = redis.options;
      return { shown: `${host}:${port}`, redis };
    });
  });
}
