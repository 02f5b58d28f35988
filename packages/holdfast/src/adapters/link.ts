/**
 * A connection for messages that is used until it breaks and is then thrown away: no client reconnects it, resends
 * on it or queues for it. That one habit makes all clients behave alike; `subscriptions.ts` opens the next one.
 */
export interface Link {
  /** Settles when the connection is up, or has failed for good. */
  readonly ready: Promise<unknown>;
  subscribe(channel: string): Promise<unknown>;
  unsubscribe(channel: string): Promise<unknown>;
  ping(): Promise<unknown>;
  /** Ends it at once, whatever it was doing. Never throws; may be called again. */
  destroy(): void;
}

export interface LinkEvents {
  message(channel: string, text: string): void;
  /** Broken, or no longer to be trusted. Further calls and late ones are ignored. */
  lost(error: Error): void;
  /** The server ended this one subscription; the connection itself is fine. */
  dropped(channel: string): void;
}

/** @param address `host:port` of a cluster node as the cluster names it; `undefined` for where the client connects. */
export type OpenLink = (address: string | undefined, events: LinkEvents) => Link;

/** `MOVED 3999 127.0.0.1:6381`; the host is left out when it is the one that was asked. */
export function movedTo(error: unknown): string | undefined {
  return error instanceof Error ? /^MOVED \d+ (\S*:\d+)/.exec(error.message)?.[1] : undefined;
}

/** The server said no, and would say it again: no right, wrong password, no such command. */
export function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    /^(NOPERM|NOAUTH|WRONGPASS|NOPROTO|ERR)\b/.test(error.message) &&
    !/max number of clients/.test(error.message)
  );
}

/** Without a host it is the one that the client's own options name. */
export function hostAndPort(address: string): { host?: string; port: number } {
  const colon = address.lastIndexOf(':'); // the last one: IPv6 addresses hold more
  const port = Number(address.slice(colon + 1));
  return colon > 0 ? { host: address.slice(0, colon), port } : { port };
}
