import type { Emitter } from './drops.ts';
import { type Link, type LinkEvents, movedTo } from './link.ts';

/** A connection of ioredis or iovalkey, as far as it is used for messages. */
export interface IoredisConnection extends Emitter {
  connect(): Promise<unknown>;
  disconnect(reconnect?: boolean): void;
  ping(): Promise<unknown>;
  subscribe(...channels: string[]): Promise<unknown>;
  unsubscribe(...channels: string[]): Promise<unknown>;
  ssubscribe(...channels: string[]): Promise<unknown>;
  sunsubscribe(...channels: string[]): Promise<unknown>;
  readonly stream?: { unref?(): unknown } | undefined;
}

/** All that reconnects, resends, queues or prefixes is off. The rest, such as address and credentials, stays the user's. */
const ONE_SHOT = {
  lazyConnect: true,
  keyPrefix: '',
  db: 0, // channels know no database, and SELECT may be forbidden
  retryStrategy: null,
  reconnectOnError: null,
  maxRetriesPerRequest: 0,
  enableOfflineQueue: false,
  autoResubscribe: false,
  autoResendUnfulfilledCommands: false,
  enableAutoPipelining: false,
  // Else `disconnect` keeps a timer of 2 s, for a server that does not answer and even for a socket closed long ago.
  disconnectTimeout: 0,
  // INFO needs a right that a program for locks may not have, and subscribing works while the server loads.
  enableReadyCheck: false,
  commandTimeout: undefined,
  socketTimeout: undefined,
  // One round of the Sentinels; the next one is the next link's. Without a bound it waits for a frozen one for ever.
  sentinelRetryStrategy: null,
  sentinelCommandTimeout: 4000,
  failoverDetector: false,
  connectTimeout: 5000,
};

export function openIoredisLink(duplicate: (override: object) => IoredisConnection, sharded = false) {
  return (events: LinkEvents): Link => {
    const redis = duplicate(ONE_SHOT);
    let cause = new Error('the connection was closed');
    let redirected = 0;
    redis.on('error', (error: Error) => {
      // How ioredis 5 and iovalkey tell of a subscription that the server ended.
      const [, ended] = /Last reply: sunsubscribe,(.*),\d+$/s.exec(error.message) ?? [];
      if (ended !== undefined) return events.dropped(ended);
      cause = error; // better than the "Connection is closed." that commands reject with
      events.lost(error);
    });
    redis.on('close', () => events.lost(cause));
    redis.on(sharded ? 'smessage' : 'message', (channel: string, text: string) =>
      events.message(channel, text),
    );
    // Said of a refused SSUBSCRIBE, which version 5 then leaves pending; by version 6 also of a subscription that the
    // server ended, without its name.
    redis.on('moved', () =>
      setImmediate(() => (redirected > 0 ? redirected-- : events.lost(new Error('a slot has moved')))),
    );

    async function ssubscribe(channel: string): Promise<void> {
      try {
        await redis.ssubscribe(channel);
      } catch (error) {
        if (movedTo(error)) redirected++;
        throw error;
      }
    }

    return {
      ready: redis.connect().then(
        () => redis.stream?.unref?.(),
        () => Promise.reject(cause),
      ),
      subscribe: (channel) => (sharded ? ssubscribe(channel) : redis.subscribe(channel)),
      unsubscribe: (channel) => (sharded ? redis.sunsubscribe(channel) : redis.unsubscribe(channel)),
      ping: () => redis.ping(),
      destroy: () => redis.disconnect(),
    };
  };
}
