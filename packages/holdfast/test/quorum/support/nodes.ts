/** N independent servers, and peers that reach each of them over a way of their own, which can be disturbed. */
import {
  eventually,
  type RedisProcess,
  type ServerOptions,
  startProxy,
  startServers,
  type TcpProxy,
} from '../../../../testkit/src/index.ts';
import { Holdfast, type HoldfastOptions } from '../../../src/index.ts';
import { type Address, type ClientName, clients } from '../../suites/clients.ts';

let names = 0;
/** A lock's name that no other test of the file uses. */
export const freshName = (what = 'lock') => `${what}:${++names}`;
export const fenceKey = (name: string) => `holdfast:{${name}}:fence:`;
const queueKey = (name: string) => `holdfast:{${name}}:queue:`;

/** One "process" of the tests. */
export interface Peer extends AsyncDisposable {
  readonly holdfast: Holdfast;
  /** To each node; none where it is connected straight. */
  readonly ways: readonly TcpProxy[];
  /** Closes its client of that node, for good. */
  leave(node: number): Promise<void>;
}

export interface PeerOptions extends HoldfastOptions {
  readonly kind?: ClientName;
}

/** ioredis is back soon after a connection was cut; node-redis is so by itself. */
const RECONNECT = { retryStrategy: () => 20 };

/** The library on these servers, in this order. */
export async function openQuorum(
  addresses: readonly Address[],
  { kind = 'ioredis 5', ...options }: PeerOptions = {},
): Promise<Peer> {
  const clientOptions = kind.startsWith('node') ? {} : RECONNECT;
  const made = await Promise.all(addresses.map((address) => clients[kind](address, clientOptions)));
  const holdfast = new Holdfast(
    made.map(({ client }) => client),
    options,
  );
  return {
    holdfast,
    ways: [],
    leave: async (node) => made[node]?.end(),
    async [Symbol.asyncDispose]() {
      await holdfast.close();
      await Promise.all(made.map(({ end }) => end()));
    },
  };
}

export class Nodes implements AsyncDisposable {
  constructor(readonly servers: readonly RedisProcess[]) {}

  static async start(count = 3, options: ServerOptions = {}): Promise<Nodes> {
    return new Nodes(await startServers(count, options));
  }

  get ports(): number[] {
    return this.servers.map(({ port }) => port);
  }

  server(index: number): RedisProcess {
    const server = this.servers[index];
    if (server === undefined) throw new RangeError(`there is no node ${index}`);
    return server;
  }

  /** Straight to the servers. */
  async open(options?: PeerOptions): Promise<Peer> {
    return this.#introduced(await openQuorum(this.servers, options));
  }

  /** Over a proxy to each. */
  async openFar(options?: PeerOptions): Promise<Peer> {
    const ways = await Promise.all(this.servers.map((server) => startProxy(server)));
    const peer = await this.#introduced(await openQuorum(ways, options));
    return {
      ...peer,
      ways,
      async [Symbol.asyncDispose]() {
        await peer[Symbol.asyncDispose]();
        await Promise.all(ways.map((way) => way.shutdown()));
      },
    };
  }

  /** The value of the lock's key at each node. */
  values(name: string): Promise<unknown[]> {
    return this.each('GET', name);
  }

  /** How many wait at each node. */
  queues(name: string): Promise<unknown[]> {
    return this.each('ZCARD', queueKey(name));
  }

  each(...command: string[]): Promise<unknown[]> {
    return Promise.all(this.servers.map((server) => server.command(...(command as [string]))));
  }

  /** No node keeps it for anybody, and nobody waits at any: long before the ttl of any test's lease is over. */
  async nothingLeft(name: string, withinMs = 4_000): Promise<void> {
    const left = async () => [...(await this.values(name)), ...(await this.queues(name))];
    const nothing = async () => {
      const found = await left();
      if (found.some(Boolean)) throw new Error(`there is ${found}`);
      return true;
    };
    await eventually(nothing, { withinMs, everyMs: 10, what: `nothing is left of ${name}` });
  }

  /** It has met every node, as a process has that used them before; a majority would be enough for the library. */
  async #introduced(peer: Peer): Promise<Peer> {
    peer.holdfast.on('warning', () => {});
    const name = freshName('introduction');
    const known = async () => {
      await peer.holdfast.lock(name).use(() => {});
      return (await this.each('EXISTS', fenceKey(name))).every(Boolean);
    };
    await eventually(known, { what: 'all nodes are known' });
    return peer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.servers.map((server) => server.shutdown()));
  }
}
