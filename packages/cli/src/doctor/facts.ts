/** What one server tells about itself. Reads only; what the user may not ask is left out. */
import type { Redis } from 'ioredis';

export interface Facts {
  readonly shown: string;
  /** `field → value` of INFO. */
  readonly info: Readonly<Record<string, string>>;
  readonly config: Readonly<Record<string, string>>;
  /** Commands that it knows, of those that were asked for. */
  readonly knows: readonly string[];
  /** Its clock minus ours, in ms. */
  readonly offsetMs: number;
  /** How wrong that may be. */
  readonly offsetErrorMs: number;
  /** Sorted, in ms. */
  readonly roundTrips: readonly number[];
  readonly encrypted: boolean;
  readonly local: boolean;
}

const ROUNDS = 20;
const SETTINGS = ['appendfsync', 'save', 'min-replicas-to-write'];
export const CAPABILITIES = ['delex', 'delifeq', 'spublish', 'waitaof'];

export async function factsOf(redis: Redis, shown: string): Promise<Facts> {
  const roundTrips: number[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    const askedAt = performance.now();
    await redis.ping();
    roundTrips.push(performance.now() - askedAt);
  }
  const info = parseInfo(await orNothing(redis.info(), ''));
  const settings = await Promise.all(SETTINGS.map((one) => orNothing(redis.config('GET', one), [])));
  const { host = '', path, tls } = redis.options;
  return {
    shown,
    info,
    config: Object.fromEntries(pairs((settings as string[][]).flat())),
    knows: await known(redis),
    ...(await clockOf(redis)),
    roundTrips: roundTrips.sort((a, b) => a - b),
    encrypted: tls !== undefined,
    local: path !== undefined || /^(localhost$|127\.|::1$)/.test(host),
  };
}

async function clockOf(redis: Redis): Promise<{ offsetMs: number; offsetErrorMs: number }> {
  const askedAt = performance.now();
  const [seconds, us] = (await orNothing(redis.time(), [0, 0])).map(Number);
  const tookMs = performance.now() - askedAt;
  const ours = performance.timeOrigin + askedAt + tookMs / 2;
  const theirs = (seconds ?? 0) * 1_000 + (us ?? 0) / 1_000;
  return { offsetMs: theirs === 0 ? 0 : theirs - ours, offsetErrorMs: tookMs / 2 };
}

async function known(redis: Redis): Promise<string[]> {
  const found = (await orNothing(redis.call('COMMAND', 'INFO', ...CAPABILITIES), [])) as unknown[];
  return CAPABILITIES.filter((_, i) => Array.isArray(found[i]));
}

function parseInfo(text: string): Record<string, string> {
  const lines = text.split('\r\n').filter((line) => line.includes(':') && !line.startsWith('#'));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]),
  );
}

function pairs(flat: readonly string[]): [string, string][] {
  const all: [string, string][] = [];
  for (let i = 0; i + 1 < flat.length; i += 2) all.push([flat[i] ?? '', flat[i + 1] ?? '']);
  return all;
}

/** Only where the server says no: an answer that does not come is an error. */
async function orNothing<T>(asked: Promise<T>, nothing: T): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if ((error as Error).name === 'ReplyError') return nothing;
    throw error;
  }
}
