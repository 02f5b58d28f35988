/**
 * C8: what is left when everybody has gone. Whoever died in a queue is passed over by the next release, so each name is acquired and released once
 * more first; then there are no leases and no queues, no channels, and no connections but our own. A server that does not know yet that a
 * process is gone would hand it the lock, and at one node of a quorum nobody needs to come by again: so the connections first.
 */
import { eventually, type RedisProcess } from '@holdfast/testkit';
import { Holdfast } from 'holdfast';
import type { Violation } from '../check/violation.ts';
import type { Place } from '../place.ts';
import { connectTo } from '../worker/connect.ts';
import type { Subject } from '../worker/settings.ts';

const WITHIN_MS = 2_000;
/** Documented in ARCHITECTURE.md: they say who was there, and keep tokens growing; each has an expiry. */
const STAYS = /^holdfast:(\{.*\}:fence:|process:)/;

/** What faults put there. */
const BALLAST = /^(fill|many):/;

export interface Left {
  readonly place: Place;
  readonly servers: readonly RedisProcess[];
  readonly names: readonly string[];
  readonly subject: Subject;
  readonly ttlMs: number;
  readonly shared?: true;
}

export async function leftovers(left: Left): Promise<Violation[]> {
  const running = left.servers.filter((server) => server.running);
  try {
    await Promise.all(running.map((server) => hungUp(server, left)));
    await passOver(left);
  } catch (error) {
    return [{ check: 'C8', text: `afterwards a name could not be acquired any more: ${error}` }];
  }
  const looked = await Promise.all(running.map((server) => look(server, left)));
  return looked.flat().map((text) => ({ check: 'C8', text }));
}

/** Who does not hang up in time is told of by the look at the end. */
async function hungUp(server: RedisProcess, { shared }: Left): Promise<void> {
  if (shared) return;
  const nobody = async () => (await listenersLeft(server)).length === 0;
  await eventually(nobody, { withinMs: WITHIN_MS }).catch(() => {});
}

async function passOver({ place, names, subject, ttlMs }: Left): Promise<void> {
  const { client, end } = await connectTo(place, 'ioredis 5');
  const holdfast = new Holdfast(client, { ttlMs });
  try {
    for (const name of names) {
      const lease = await everythingOf(holdfast, name, subject);
      await lease.release();
    }
  } finally {
    await holdfast.close();
    await end();
  }
}

const PATIENCE = { waitMs: 10_000 };

function everythingOf(holdfast: Holdfast, name: string, subject: Subject) {
  if (subject.kind === 'readWrite') return holdfast.readWrite(name).write.acquire(PATIENCE);
  if (subject.kind !== 'semaphore') return holdfast.lock(name).acquire(PATIENCE);
  const { limit, slots } = subject;
  return holdfast.semaphore(name, { limit, slots }).acquire({ permits: limit, ...PATIENCE });
}

/** What is still there after a while. */
async function look(server: RedisProcess, left: Left): Promise<string[]> {
  let found: string[] = [];
  const nothing = async () => {
    found = [...(await keysLeft(server, left)), ...(left.shared ? [] : await listenersLeft(server))];
    return found.length === 0;
  };
  await eventually(nothing, { withinMs: WITHIN_MS }).catch(() => {});
  return found;
}

/** Keys that are nobody's any more, or would stay for ever. */
export async function keysLeft(
  server: RedisProcess,
  { names, subject }: Pick<Left, 'names' | 'subject'>,
): Promise<string[]> {
  const all = (await server.command('KEYS', '*')) as string[];
  const keys = all.filter((key) => !BALLAST.test(key));
  const own = subject.kind === 'semaphore' || subject.kind === 'readWrite' ? names : [];
  const wrong = keys.filter((key) => !STAYS.test(key) && !own.includes(key));
  const expiries = (await server.pipeline(keys.map((key) => ['PTTL', key]))).map(Number);
  const endless = keys.filter((_, i) => expiries[i] === -1);
  const contents = await Promise.all(wrong.map((key) => contentOf(server, key)));
  return [
    ...wrong.map((key, i) => `the key ${key} is left at port ${server.port}: ${contents[i]}`),
    ...endless.map((key) => `the key ${key} has no expiry`),
  ];
}

async function contentOf(server: RedisProcess, key: string): Promise<string> {
  const type = await server.command('TYPE', key);
  const read = type === 'zset' ? ['ZRANGE', key, 0, 4, 'WITHSCORES'] : ['GET', key];
  return JSON.stringify(await server.command(...(read as [string, ...string[]])).catch(() => type));
}

async function listenersLeft(server: RedisProcess): Promise<string[]> {
  const [plain, sharded, clients] = await server.pipeline([
    ['PUBSUB', 'CHANNELS'],
    ['PUBSUB', 'SHARDCHANNELS'],
    ['CLIENT', 'LIST', 'TYPE', 'NORMAL'],
  ]);
  const channels = [plain, sharded].flatMap((reply) => (Array.isArray(reply) ? reply : []));
  const connections = String(clients).trim().split('\n').length - 1;
  return [
    ...channels.map((channel) => `channel ${channel} is listened to`),
    ...(connections > 0 ? [`${connections} connections are left`] : []),
  ];
}
