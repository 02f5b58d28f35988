/** Opens ioredis clients for places. */
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { unavailable } from '../say/failure.ts';
import { keepSecret } from '../say/redact.ts';
import type { Place } from './place.ts';

export type Client = Redis | Cluster;

export interface Connection {
  readonly place: Place;
  readonly client: Client;
}

/** For a connection, and for each answer. */
const PATIENCE_MS = 5_000;

/** Opens one connection, and waits until it can be used. Later drops are repaired in the background. */
export async function connect(place: Place): Promise<Connection> {
  const attempt = open(place);
  try {
    await within(PATIENCE_MS, attempt.client.connect());
    await within(PATIENCE_MS, attempt.client.ping());
  } catch (error) {
    attempt.client.disconnect();
    throw whyNot(place, attempt.lastError() ?? (error as Error));
  }
  attempt.connected();
  return { place, client: attempt.client };
}

/** How long a majority waits for the rest of the servers. */
const STRAGGLERS_MS = 300;

/** Resolves when a majority can be used. The others go on trying: a minority may be down, and then says so at once to every command. */
export async function connectMajority(places: readonly Place[]): Promise<Connection[]> {
  const attempts = places.map((place) => ({ place, ...open(place, { enableOfflineQueue: false }) }));
  const majority = Math.floor(places.length / 2) + 1;
  const errors = new Map<Place, Error>();
  const all: Promise<void>[] = [];
  await new Promise<void>((resolve) => {
    let up = 0;
    for (const { place, client, connected, lastError } of attempts) {
      connected();
      const failed = (error: Error) => {
        errors.set(place, lastError() ?? error);
        if (errors.size > places.length - majority) resolve();
      };
      const answered = () => void (++up >= majority && resolve());
      all.push(within(PATIENCE_MS, firstAnswer(client)).then(answered, failed));
    }
  });
  await within(STRAGGLERS_MS, Promise.all(all)).catch(() => {});
  if (errors.size > places.length - majority) {
    for (const { client } of attempts) client.disconnect();
    const each = [...errors].map(([place, error]) => whyNot(place, error).message);
    throw unavailable(`${majority} of ${places.length} servers are needed: ${each.join('; ')}`);
  }
  return attempts.map(({ place, client }) => ({ place, client }));
}

/** Rejects at the first error, though the client goes on trying. */
function firstAnswer(client: Client): Promise<unknown> {
  return new Promise((resolve, reject) => {
    client.once('error', reject);
    client
      .connect()
      .then(() => client.ping())
      .then(resolve, reject);
  });
}

interface Attempt {
  readonly client: Client;
  /** From now on drops are repaired. */
  connected(): void;
  lastError(): Error | undefined;
}

function open(place: Place, more: RedisOptions = {}): Attempt {
  let last: Error | undefined;
  let repair = false;
  const again = (times: number) => (repair ? Math.min(50 * times, 1_000) : null);
  const client = make(place, again, more);
  // A connection that closes is no reason; what came before it is.
  client.on('error', (error: Error) => {
    last = reasonIn(error);
  });
  return {
    client,
    connected: () => {
      repair = true;
    },
    lastError: () => last,
  };
}

function make(place: Place, again: (times: number) => number | null, more: RedisOptions): Client {
  const { kind, addresses, db, path, tls, username, password, master } = place;
  const [first] = addresses;
  const common: RedisOptions = {
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(tls && { tls: {} }),
    db,
    lazyConnect: true,
    connectTimeout: PATIENCE_MS,
    // Of our own commands; the library has its own, shorter deadline. Nothing blocks on the server.
    commandTimeout: PATIENCE_MS,
    // A server that is loading says so itself, and the library waits for it.
    enableReadyCheck: false,
    maxRetriesPerRequest: null,
    retryStrategy: again,
    ...more,
  };
  if (kind === 'cluster')
    return new Cluster([...addresses], {
      redisOptions: common,
      lazyConnect: true,
      clusterRetryStrategy: again,
      shardedSubscribers: true,
      slotsRefreshTimeout: PATIENCE_MS,
      // Certificates are made out for names.
      ...(tls && {
        dnsLookup: (host: string, found: (error: null, address: string) => void) => found(null, host),
      }),
    });
  const { REDIS_SENTINEL_PASSWORD: sentinelPassword } = process.env;
  keepSecret(sentinelPassword);
  if (kind === 'sentinel')
    return new Redis({
      ...common,
      sentinels: [...addresses],
      name: master ?? '',
      sentinelRetryStrategy: again,
      ...(sentinelPassword && { sentinelPassword }),
      ...(tls && { enableTLSForSentinelMode: true }),
    });
  if (path !== undefined) return new Redis({ ...common, path });
  return new Redis({ ...common, ...(first && { host: first.host, port: first.port }) });
}

/** A cluster's error stands around those of its nodes. */
function reasonIn(error: Error & { lastNodeError?: Error }): Error {
  return error.lastNodeError ?? error;
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms / 1_000} s`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

const WORDS: Record<string, string> = {
  ECONNREFUSED: 'nobody listens there; is the server running?',
  ENOENT: 'there is no such socket',
  ENOTFOUND: 'the name of the host is not known',
  EAI_AGAIN: 'the name of the host could not be looked up',
  ETIMEDOUT: 'no answer; check address and firewall',
  EHOSTUNREACH: 'the host cannot be reached',
  ECONNRESET: 'the connection was cut; does the server want TLS (rediss://)?',
};

function whyNot(place: Place, error: Error & { code?: string }): Error {
  if (/^(NOAUTH|WRONGPASS|NOPERM|ERR .*password|MOVED)/.test(error.message)) return error;
  const text = (error.code !== undefined && WORDS[error.code]) || error.message;
  const hint = /^no answer/.test(text) ? `; is it up${place.tls ? ', and does it speak TLS' : ''}?` : '';
  return unavailable(`cannot connect to ${place.shown}: ${text}${hint}`);
}
