import type { Emitter } from './drops.ts';
import type { Link, LinkEvents } from './link.ts';

/** A connection of node-redis 5 or 6, as far as it is used for messages. */
export interface NodeRedisConnection extends Emitter {
  connect(): Promise<unknown>;
  destroy(): void;
  unref(): void;
  sendCommand(args: string[]): Promise<unknown>;
  subscribe(channel: string, listener: Listener): Promise<unknown>;
  unsubscribe(channel: string): Promise<unknown>;
  sSubscribe(channel: string, listener: Listener): Promise<unknown>;
  sUnsubscribe(channel: string): Promise<unknown>;
}

type Listener = (message: string, channel: string) => unknown;

/** What a duplicate is made from. */
export interface NodeRedisTemplate {
  readonly options?: { readonly socket?: object | undefined } | undefined;
  duplicate(overrides?: object): NodeRedisConnection;
}

/** All that reconnects, queues, maps or prefixes is off. The rest, such as address and credentials, stays the user's. */
export function oneShot(template: NodeRedisTemplate, at: object = {}): NodeRedisConnection {
  return template.duplicate({
    url: undefined, // its parts are in the options already, and it would win over another address
    socket: { ...template.options?.socket, ...at, reconnectStrategy: false, socketTimeout: undefined },
    database: 0, // channels know no database, and SELECT may be forbidden
    readonly: false,
    disableOfflineQueue: true,
    pingInterval: undefined,
    commandOptions: {},
    clientSideCache: undefined,
    emitInvalidate: false,
    maintNotifications: 'disabled',
  });
}

/** @param make may have to ask where the master is; it is not awaited longer than the link lives */
export function openNodeRedisLink(
  make: () => NodeRedisConnection | Promise<NodeRedisConnection>,
  sharded = false,
) {
  return (events: LinkEvents): Link => {
    let client: NodeRedisConnection | undefined;
    let destroyed = false;
    const listener: Listener = (message, channel) => events.message(channel, message);

    async function connect(): Promise<void> {
      const made = await make();
      if (destroyed) return quietly(() => made.destroy());
      client = made;
      client.on('error', events.lost); // without it a lost connection would end the process
      client.on('end', () => events.lost(new Error('the connection was closed')));
      client.on('sharded-channel-moved', events.dropped);
      client.unref();
      await client.connect();
      // A destroy during the connecting is not always heeded.
      if (destroyed) quietly(() => made.destroy());
    }

    const usable = () => {
      if (!client) throw new Error('the connection was closed');
      return client;
    };
    return {
      ready: connect(),
      async subscribe(channel) {
        return sharded ? usable().sSubscribe(channel, listener) : usable().subscribe(channel, listener);
      },
      async unsubscribe(channel) {
        return sharded ? usable().sUnsubscribe(channel) : usable().unsubscribe(channel);
      },
      ping: async () => usable().sendCommand(['PING']),
      destroy() {
        destroyed = true;
        quietly(() => client?.destroy());
      },
    };
  };
}

/** node-redis 5 throws when the client is closed already. */
function quietly(action: () => unknown): void {
  try {
    action();
  } catch {}
}
