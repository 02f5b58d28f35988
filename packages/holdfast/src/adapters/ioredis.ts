import type { Client, Command } from '../client.ts';
import { wireArguments } from '../client.ts';
import { checkedPrefix } from './client-error.ts';
import { type Emitter, watchDrops } from './drops.ts';
import { type IoredisConnection, openIoredisLink } from './ioredis-link.ts';
import { type Corkable, inOneWrite } from './one-write.ts';
import { Subscriptions } from './subscriptions.ts';

/** What ioredis and ioredis.Cluster have in common, as far as it is used. */
export interface IoredisCommander extends Emitter {
  readonly status: string;
  call(name: string, ...args: string[]): Promise<unknown>;
  pipeline(): IoredisPipeline;
}

interface IoredisPipeline {
  call(name: string, ...args: string[]): unknown;
  exec(): Promise<[error: Error | null, result: unknown][] | null>;
}

/** A client of ioredis 5 or 6, or of iovalkey: alone, or with Sentinels. */
export interface IoredisLike extends IoredisCommander, IoredisConnection {
  readonly options: IoredisOptions;
  /** The socket, while there is one. */
  readonly stream?: (Corkable & { unref?(): unknown }) | undefined;
  duplicate(override?: object): IoredisConnection;
}

export interface IoredisOptions {
  readonly keyPrefix?: unknown;
  readonly enableAutoPipelining?: boolean | undefined;
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly path?: string | undefined;
  readonly tls?: unknown;
  readonly sentinels?: unknown;
}

export function fromIoredis(client: IoredisLike, kind = 'ioredis'): Client {
  const keyPrefix = checkedPrefix(client.options.keyPrefix); // before anything is put on a client that it refuses
  const drops = watchDrops(client);
  const call = (command: Command) =>
    callIoredis(client, client.options, command.name, wireArguments(command));
  return {
    kind,
    keyPrefix,
    cluster: false,
    endpoint: endpointOf(client.options),
    get state() {
      return client.status === 'end' ? 'closed' : 'usable';
    },
    get drops() {
      return drops.count();
    },
    send: (command) => inOneWrite(client.stream, () => call(command)),
    sendPair: (first, second) => inOneWrite(client.stream, () => [call(first), call(second)]),
    async openSubscriber(events) {
      const open = openIoredisLink((override) => client.duplicate(override));
      return new Subscriptions({ open: (_, link) => open(link) }, events);
    },
    detach: () => drops.detach(),
  };
}

/** The client puts its `keyPrefix` on the keys itself. It knows them by the command's name, iovalkey only in lower case. */
export function callIoredis(
  client: IoredisCommander,
  options: IoredisOptions,
  name: string,
  args: string[],
): Promise<unknown> {
  const lowerCase = inLowerCase(name);
  return options.enableAutoPipelining ? callAtOnce(client, lowerCase, args) : client.call(lowerCase, ...args);
}

const lowerCaseNames = new Map<string, string>();

/** The same string each time: the client looks it up in several tables, and a new one would have to be found in V8's first. */
function inLowerCase(name: string): string {
  const known = lowerCaseNames.get(name) ?? name.toLowerCase();
  lowerCaseNames.set(name, known);
  return known;
}

/** Automatic pipelines wait for a later turn of the event loop. One's own goes out at once. */
async function callAtOnce(client: IoredisCommander, name: string, args: string[]): Promise<unknown> {
  const pipeline = client.pipeline();
  pipeline.call(name, ...args);
  const [error, result] = (await pipeline.exec())?.[0] ?? [new Error('the pipeline was not run')];
  if (error) throw error;
  return result;
}

function endpointOf(options: IoredisOptions): Client['endpoint'] {
  if (options.sentinels || options.path) return undefined;
  return { host: options.host ?? 'localhost', port: options.port ?? 6379, tls: Boolean(options.tls) };
}
