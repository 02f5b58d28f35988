/**
 * The client seam: all that Holdfast needs from a Redis client. One adapter per client library implements it
 * (`adapters/`); everything above it knows only these types. `docs/adapters.md` shows the smallest one.
 */

/** One command, its keys apart from the rest, so that an adapter can route it and add the client's own key prefix. */
export interface Command {
  /** In capitals: `EVALSHA`. */
  readonly name: string;
  /** Arguments before the keys. */
  readonly head?: readonly string[];
  /** The keys, without the client's own prefix. May be empty; in a cluster the first one decides the node. */
  readonly keys: readonly string[];
  /** Arguments after the keys. */
  readonly tail?: readonly string[];
}

/** What a subscriber tells. Handlers never throw. */
export interface SubscriberEvents {
  /** A message arrived on a channel. */
  message(channel: string, text: string): void;
  /** Subscriptions were interrupted and are in place again: messages may have been missed meanwhile. */
  resubscribed(): void;
  /** The server itself ended the subscription of this channel (its slot moved); it has to be subscribed anew. */
  dropped(channel: string): void;
}

/** A connection of its own for messages. In a cluster the channels are sharded ones. */
export interface Subscriber {
  /** Resolves when the server has confirmed the subscription; rejects with the client's error. */
  subscribe(channel: string): Promise<void>;
  unsubscribe(channel: string): Promise<void>;
  /** Ends the connection. Never rejects; leaves no timer, listener or socket. */
  close(): Promise<void>;
}

export interface Client {
  /** The library's name for messages: `ioredis`, `node-redis`, … */
  readonly kind: string;
  /** What the client itself puts before every key (`''` for nothing); Holdfast needs it to compute slots. */
  readonly keyPrefix: string;
  /** Keys are spread over nodes by slot; channels are sharded. */
  readonly cluster: boolean;
  /** `closed`: ended by its owner and not coming back, so that every call would fail. */
  readonly state: 'usable' | 'not connected' | 'closed';
  /**
   * How often a connection was lost so far. A command during which this grows may have been sent twice by a
   * client that resends by itself.
   */
  readonly drops: number;
  /** Sends at once (no batching delay of its own), in the order of the calls; rejects with the client's own error. */
  send(command: Command): Promise<unknown>;
  /**
   * Two commands on one connection, the second right behind the first, in one write where possible. Only clients that keep
   * that order have it; the others take a free lock by script.
   */
  sendPair?(first: Command, second: Command): [Promise<unknown>, Promise<unknown>];
  /** Opens a connection for messages, made like the client's own (address, TLS, credentials). */
  openSubscriber(events: SubscriberEvents): Promise<Subscriber>;
  /** Where it connects, for messages; `undefined` when unknown. */
  readonly endpoint?:
    | { readonly host: string; readonly port?: number | undefined; readonly tls: boolean }
    | undefined;
  /** Takes off every listener that this adapter put on the client. */
  detach(): void;
}

/** The command's arguments in wire order, with each key passed through `key`. */
export function wireArguments(
  { head = [], keys, tail = [] }: Command,
  key?: (k: string) => string,
): string[] {
  return [...head, ...(key === undefined ? keys : keys.map(key)), ...tail];
}
