/* Where the run takes place: REDIS_URL, else a server of its own, else no server at all. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RedisProcess, startServer, tryFindServer } from '@holdfast/testkit';
import { Redis } from 'ioredis';
import type { Cleanup } from './cleanup.ts';
import { UsageError, withoutPassword, withoutSecrets } from './redis-url.ts';
import { endSearch } from './search.ts';

export interface Place {
  /** For people: "Redis 7.0.15". */
  label: string;
  where: string;
  /** What happens to the data. */
  data: string;
  url: string;
  prefix: string;
  redis: Redis;
}

const CONNECT_MS = 4_000;

/**
 * The place, or why there is none.
 * @param program its name, which begins the prefix of all its keys
 */
export async function findPlace(program: string, cleanup: Cleanup): Promise<Place | { why: string }> {
  const prefix = `holdfast-${program}-${randomBytes(4).toString('hex')}`;
  const given = process.env.REDIS_URL;
  if (given) return givenPlace(given, prefix, cleanup);
  const finding = tryFindServer();
  cleanup.add(() => endSearch(finding));
  const found = await finding;
  if ('why' in found) return found;
  const starting = startServer({ binary: found.server });
  cleanup.add(async () => (await starting).shutdown()); // also when the end comes before it has started
  return ownPlace(await starting, prefix, cleanup);
}

/** For a program that is nothing without a server: says why there is none, in one sentence. */
export async function needPlace(program: string, cleanup: Cleanup): Promise<Place> {
  const place = await findPlace(program, cleanup);
  if (!('why' in place)) return place;
  const why = place.why.replace(/\.$/, '');
  throw new UsageError(
    `This example needs a Redis or Valkey server (REDIS_URL, or one on the PATH): ${why}.`,
  );
}

async function ownPlace(server: RedisProcess, prefix: string, cleanup: Cleanup): Promise<Place> {
  const { url, port, binary } = server;
  const redis = await connect(url);
  cleanup.add(() => redis.disconnect());
  const program = binary.loader ? 'a private copy in .servers/' : binary.command;
  const where = `${program}, port ${port}`;
  return { label: binary.label, where, data: await persistence(redis), url, prefix, redis };
}

async function persistence(redis: Redis): Promise<string> {
  const settings = [await redis.config('GET', 'save'), await redis.config('GET', 'appendonly')];
  return String(settings) === 'save,,appendonly,no' ? 'nothing persisted' : 'persists its data';
}

async function givenPlace(url: string, prefix: string, cleanup: Cleanup): Promise<Place> {
  const shown = withoutPassword(url);
  const redis = await connect(url).catch((error: Error) => {
    throw new UsageError(
      `REDIS_URL: no server can be used at ${shown}: ${withoutSecrets(error.message, url)}.`,
    );
  });
  cleanup.add(() => redis.disconnect());
  cleanup.add(() => removeKeys(redis, prefix));
  const info = await redis.info('server').catch(() => '');
  const data = `only keys under ${prefix}:*, removed at the end`;
  return { label: labelOf(info), where: shown, data, url, prefix, redis };
}

function labelOf(info: string): string {
  const valkey = /^valkey_version:(\S+)/m.exec(info)?.[1];
  if (valkey) return `Valkey ${valkey}`;
  return `Redis ${/^redis_version:(\S+)/m.exec(info)?.[1] ?? '(version unknown)'}`;
}

/** Connects once: what does not work now is told and not tried again. */
async function connect(url: string): Promise<Redis> {
  const redis = new Redis(url, { lazyConnect: true, connectTimeout: CONNECT_MS, retryStrategy: () => null });
  let cause: Error | undefined;
  redis.on('error', (error: Error) => {
    cause = error; // says more than the "Connection is closed." that `connect` may reject with
  });
  const late = sleep(CONNECT_MS, undefined, { ref: false }).then(() => {
    throw new Error(`no answer within ${CONNECT_MS} ms`);
  });
  try {
    await Promise.race([redis.connect().then(() => redis.ping()), late]);
    return redis;
  } catch (error) {
    redis.disconnect();
    throw cause ?? error;
  }
}

/** Only what lies under this run's own random prefix. */
async function removeKeys(redis: Redis, prefix: string): Promise<void> {
  let cursor = '0';
  do {
    const [next, keys] = await redis.scan(cursor, 'MATCH', `${prefix}:*`, 'COUNT', 1000);
    if (keys.length > 0) await redis.del(...keys);
    cursor = next;
  } while (cursor !== '0');
}
