/** The clients, each made as its users make it, with its own ways to reconnect. A process loads only the library of its own. */
import type { ClientKind, Place } from '../place.ts';

export interface Connected {
  /** For `new Holdfast(…)`: one client, or one for each node of a quorum. */
  readonly client: unknown;
  /** A round trip on the connection that the library's commands take. */
  ping(): Promise<unknown>;
  end(): Promise<void>;
}

export async function connectTo(place: Place, kind: ClientKind): Promise<Connected> {
  const make = kind.startsWith('node-redis') ? nodeRedis : ioredis;
  if (place.kind !== 'quorum') return make(place, kind);
  const nodes = await Promise.all(place.ports.map((port) => make({ kind: 'single', ports: [port] }, kind)));
  return {
    client: nodes.map(({ client }) => client),
    ping: () => Promise.all(nodes.map((node) => node.ping())),
    end: async () => void (await Promise.all(nodes.map((node) => node.end()))),
  };
}

const HOST = '127.0.0.1';
const at = (port: number) => ({ host: HOST, port });

type Libraries = Readonly<Partial<Record<ClientKind, () => Promise<unknown>>>>;

function load<Library>(libraries: Libraries, kind: ClientKind): Promise<Library> {
  const one = libraries[kind];
  if (one === undefined) throw new Error(`there is no client ${kind}`);
  return one() as Promise<Library>;
}

const IO: Libraries = {
  'ioredis 5': () => import('ioredis'),
  'ioredis 6': () => import('ioredis6'),
  iovalkey: () => import('iovalkey'),
};

interface IoClient {
  on(event: 'error', listener: () => void): unknown;
  ping(): Promise<unknown>;
  disconnect(): void;
}

interface IoLibrary {
  readonly Redis: new (options: object) => IoClient;
  readonly Cluster: new (nodes: readonly object[], options?: object) => IoClient;
}

async function ioredis(place: Place, kind: ClientKind): Promise<Connected> {
  const { Redis, Cluster } = await load<IoLibrary>(IO, kind);
  const client = place.kind === 'cluster' ? new Cluster(place.ports.map(at)) : new Redis(ioTarget(place));
  client.on('error', () => {});
  return { client, ping: () => client.ping(), end: async () => client.disconnect() };
}

/** By default ioredis stays away for up to ten seconds from a server that was loading its data. */
const SOON = { maxLoadingRetryTime: 500 };

function ioTarget(place: Place): object {
  if (place.kind === 'sentinel') return { sentinels: place.ports.map(at), name: place.master, ...SOON };
  return { ...at(place.ports[0] ?? 0), ...SOON };
}

const NODE: Libraries = {
  'node-redis 5': () => import('redis5'),
  'node-redis 6': () => import('redis'),
};

interface NodeClient {
  on(event: 'error', listener: () => void): unknown;
  connect(): Promise<unknown>;
  ping(): Promise<unknown>;
  destroy(): void;
}

interface NodeLibrary {
  createClient(options: object): NodeClient;
  createCluster(options: object): NodeClient;
  createSentinel(options: object): NodeClient;
}

async function nodeRedis(place: Place, kind: ClientKind): Promise<Connected> {
  const library = await load<NodeLibrary>(NODE, kind);
  const client = nodeClient(library, place);
  client.on('error', () => {});
  await client.connect();
  return { client, ping: () => client.ping(), end: async () => client.destroy() };
}

function nodeClient(library: NodeLibrary, place: Place): NodeClient {
  if (place.kind === 'cluster')
    return library.createCluster({ rootNodes: place.ports.map((port) => ({ socket: at(port) })) });
  if (place.kind === 'sentinel')
    return library.createSentinel({ name: place.master, sentinelRootNodes: place.ports.map(at) });
  return library.createClient({ socket: at(place.ports[0] ?? 0) });
}
