/** Finds the locks and semaphores on a server: SCAN with a bound, never KEYS. */
import type { Redis } from 'ioredis';

/** How many keys the server looks at in one call: a few hundred microseconds of its time. */
const BATCH = 1_000;

export interface Bounds {
  readonly maxKeys: number;
  readonly withinMs: number;
}

/** Why a look was not complete. */
export type Cut = 'keys' | 'time';

export type Kind = 'lock' | 'semaphore' | 'read-write lock';

export interface Found {
  readonly name: string;
  /** `slots`: a semaphore as one node of a quorum has it. */
  readonly kind: Kind | 'slots';
}

export interface Scan {
  readonly found: readonly Found[];
  readonly looked: number;
  readonly cut: Cut | undefined;
}

/** Calls `visit` with each batch of keys, one after the other. */
export async function scanKeys(
  redis: Redis,
  { pattern, maxKeys, withinMs }: Bounds & { readonly pattern: string },
  visit: (keys: readonly string[]) => Promise<void>,
): Promise<{ looked: number; cut: Cut | undefined }> {
  const until = performance.now() + withinMs;
  const match = pattern === '*' ? [] : ['MATCH', pattern];
  let cursor = '0';
  let looked = 0;
  do {
    if (looked >= maxKeys) return { looked, cut: 'keys' };
    if (performance.now() >= until) return { looked, cut: 'time' };
    const count = Math.min(BATCH, maxKeys - looked);
    const reply = await redis.call('SCAN', cursor, ...match, 'COUNT', String(count));
    const [next, keys] = reply as [string, string[]];
    await visit(keys);
    cursor = next;
    looked += match.length > 0 ? count : Math.max(keys.length, 1);
  } while (cursor !== '0');
  return { looked, cut: undefined };
}

export async function scanLocks(
  redis: Redis,
  prefix: string,
  pattern: string,
  bounds: Bounds,
): Promise<Scan> {
  const found = new Map<string, Found>();
  const keyPattern = `${escaped(prefix)}${pattern.startsWith('holdfast:') ? 'holdfast:name:' : ''}${pattern}`;
  const { looked, cut } = await scanKeys(redis, { pattern: keyPattern, ...bounds }, async (keys) => {
    const mains = [...new Set(keys)].filter((key) => isMain(key, prefix));
    for (const one of await lookAt(redis, mains, prefix)) found.set(one.name, one);
  });
  return { found: [...found.values()], looked, cut };
}

/** Not a helper key of ours, nor of an instance with another prefix. */
function isMain(key: string, prefix: string): boolean {
  const name = key.slice(prefix.length);
  return !/^(?:[^\s]{1,100}:)?holdfast:(?:\{|process:|waits:|trace$)/.test(name);
}

/** What a pattern means literally. */
function escaped(text: string): string {
  return text.replace(/[*?[\]\\^]/g, '\\$&');
}

/** Two round trips for all of them. */
async function lookAt(redis: Redis, keys: readonly string[], prefix: string): Promise<Found[]> {
  if (keys.length === 0) return [];
  const types = await each(redis, keys, (key) => ['TYPE', key]);
  const asked = keys.flatMap((key, i) => {
    const question = QUESTIONS[String(types[i])];
    return question === undefined ? [] : [{ key, ...question }];
  });
  const answers = await each(redis, asked, ({ key, ask }) => ask(key));
  return asked.flatMap(({ key, kindOf }, i) => {
    const kind = kindOf(answers[i]);
    return kind === undefined ? [] : [{ kind, name: nameOf(key.slice(prefix.length)) }];
  });
}

interface Question {
  ask(key: string): string[];
  /** `undefined` = none of ours. */
  kindOf(answer: unknown): Found['kind'] | undefined;
}

const QUESTIONS: Record<string, Question | undefined> = {
  string: {
    ask: (key) => ['GETRANGE', key, '0', '3'],
    kindOf: (answer) => (answer === 'hf1-' ? 'lock' : undefined),
  },
  zset: {
    ask: (key) => ['ZMSCORE', key, '#limit', '#weight'],
    kindOf: (answer) => {
      const [limit, weight] = Array.isArray(answer) ? answer : [];
      if (typeof limit === 'string') return 'semaphore';
      return typeof weight === 'string' ? 'read-write lock' : undefined;
    },
  },
  hash: {
    ask: (key) => ['HGET', key, 'limit'],
    kindOf: (answer) => (/^\d+ \d+$/.test(String(answer)) ? 'slots' : undefined),
  },
};

/** A name that begins like a helper key is stored behind a word of its own. */
function nameOf(key: string): string {
  return key.startsWith('holdfast:name:') ? key.slice('holdfast:name:'.length) : key;
}

/** One command for each, in one write; an error of one (a key that has just changed its type) is no answer. */
export async function each<T>(
  redis: Redis,
  items: readonly T[],
  command: (item: T) => readonly string[],
): Promise<unknown[]> {
  if (items.length === 0) return [];
  const pipeline = redis.pipeline();
  for (const item of items) {
    const [name = '', ...args] = command(item);
    pipeline.call(name, ...args);
  }
  const replies = await pipeline.exec();
  const denied = replies?.find(([error]) => error !== null && /^(NOPERM|MOVED)/.test(error.message));
  if (denied?.[0]) throw denied[0];
  return (replies ?? []).map(([error, value]) => (error === null ? value : undefined));
}
