import { type Client, type Command, wireArguments } from '../client.ts';
import { checkedPrefix } from './client-error.ts';
import type { Emitter } from './drops.ts';
import { type NodeRedisTemplate, oneShot, openNodeRedisLink } from './node-redis-link.ts';
import { Subscriptions } from './subscriptions.ts';
import { sendOn } from './unwritten.ts';

/** A client of node-redis 5 or 6, from `createClient`. */
export interface NodeRedisLike extends NodeRedisTemplate, Emitter {
  readonly isOpen: boolean;
  /** How often it has connected. */
  readonly socketEpoch: number;
  sendCommand(args: string[], options?: object): Promise<unknown>;
}

/** A pool of node-redis 5 or 6, from `createClientPool` or `client.createPool()`. */
export interface NodeRedisPoolLike {
  readonly isOpen: boolean;
  execute<T>(task: (client: NodeRedisLike) => Promise<T>): Promise<T>;
}

export function fromNodeRedis(client: NodeRedisLike): Client {
  const keyPrefix = prefixOf(client);
  const send = (command: Command) =>
    sendOn(client, (options) => client.sendCommand(wireCommand(command, keyPrefix), options));
  return {
    kind: 'node-redis',
    keyPrefix,
    cluster: false,
    endpoint: endpointOf(client),
    get state() {
      if (client.isOpen) return 'usable';
      return client.socketEpoch > 0 ? 'closed' : 'not connected';
    },
    // No listener: node-redis never sends a command twice, and taking one off its proxies can take others with it.
    get drops() {
      return Math.max(0, client.socketEpoch - 1);
    },
    send,
    // What is sent in one turn of the event loop goes out in one write.
    sendPair: (first, second) => [send(first), send(second)],
    async openSubscriber(events) {
      const open = openNodeRedisLink(() => oneShot(client));
      return new Subscriptions({ open: (_, link) => open(link) }, events);
    },
    detach() {},
  };
}

/** Commands of different calls may overtake each other in a pool. */
export function fromNodeRedisPool(pool: NodeRedisPoolLike): Client {
  const keyPrefix = prefixOf(pool);
  let wasOpen = pool.isOpen;
  return {
    kind: 'node-redis pool',
    keyPrefix,
    cluster: false,
    get state() {
      if (pool.isOpen) wasOpen = true;
      return pool.isOpen ? 'usable' : wasOpen ? 'closed' : 'not connected';
    },
    drops: 0, // it never sends a command twice, and does not tell of lost connections
    send: (command) => {
      const args = wireCommand(command, keyPrefix);
      return pool.execute((client) => sendOn(client, (options) => client.sendCommand(args, options)));
    },
    async openSubscriber(events) {
      const open = openNodeRedisLink(() => pool.execute(async (client) => oneShot(client)));
      return new Subscriptions({ open: (_, link) => open(link) }, events);
    },
    detach() {},
  };
}

/** `sendCommand` leaves the keys as they are, where `client.get(key)` puts the prefix on. */
export function wireCommand(command: Command, keyPrefix: string): string[] {
  return [command.name, ...wireArguments(command, (key) => keyPrefix + key)];
}

/** `keyPrefix` came with node-redis 6; each kind of client keeps it in another place but shows it here. */
export function prefixOf(client: object): string {
  return checkedPrefix((client as { _keyPrefix?: unknown })._keyPrefix);
}

export function endpointOf(template: NodeRedisTemplate): Client['endpoint'] {
  const socket = (template.options?.socket ?? {}) as {
    host?: string;
    port?: number;
    path?: string;
    tls?: boolean;
  };
  if (socket.path) return undefined;
  return { host: socket.host ?? 'localhost', port: socket.port ?? 6379, tls: socket.tls === true };
}
