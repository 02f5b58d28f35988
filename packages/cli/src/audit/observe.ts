/** Reads what is needed to judge keys, in few round trips and with bounds on everything. Reads only. */
import type { Redis } from 'ioredis';
import { each } from '../look/scan.ts';
import { libraryByName } from './layouts.ts';
import { nameSays } from './names.ts';

export interface Observed {
  readonly key: string;
  readonly type: string;
  /** `undefined` = no expiry. */
  readonly ttlMs: number | undefined;
  /** Since somebody last read or wrote it; `undefined` where the server does not say (an LFU policy, a small number). */
  readonly idleMs: number | undefined;
  /** Of a string: the first 300 bytes. */
  readonly value?: string;
  /** How many entries; of a hash its fields, when they are few. */
  readonly size?: number;
  readonly fields?: readonly string[];
  /** Of a sorted set: the three lowest, and the highest. */
  readonly scores?: readonly Scored[];
  /** Of a list: the first hundred. */
  readonly items?: readonly string[];
}

interface Scored {
  readonly member: string;
  readonly score: number;
}

const VALUE_END = '299';
const FEW_FIELDS = 3;

/** Three round trips for all of them. Keys that are certainly no locks are left out after the first. */
export async function observe(redis: Redis, keys: readonly string[]): Promise<Observed[]> {
  const [types, ttls, idles] = await Promise.all([
    each(redis, keys, (key) => ['TYPE', key]),
    each(redis, keys, (key) => ['PTTL', key]),
    each(redis, keys, (key) => ['OBJECT', 'IDLETIME', key]),
  ]);
  const first = keys.map((key, i) => ({
    key,
    type: String(types[i]),
    ttlMs: Number(ttls[i]) < 0 ? undefined : Number(ttls[i]),
    idleMs: typeof idles[i] === 'number' ? Number(idles[i]) * 1_000 : undefined,
    gone: Number(ttls[i]) === -2,
  }));
  const suspects = first.filter((one) => !one.gone && isSuspect(one)).map(({ gone, ...one }) => one);
  const sizes = await each(redis, suspects, ({ key, type }) => [SIZE[type] ?? 'EXISTS', key]);
  const sized = suspects.map((one, i) => ({ ...one, size: Number(sizes[i] ?? 0) }));
  const contents = await each(redis, sized, contentQuestion);
  const tops = await each(redis, sized, ({ key, type }) =>
    type === 'zset' ? ['ZRANGE', key, '-1', '-1', 'WITHSCORES'] : ['EXISTS', key],
  );
  return sized.map((one, i) => ({ ...one, ...contentOf(one.type, contents[i], tops[i]) }));
}

const SIZE: Record<string, string | undefined> = {
  string: 'STRLEN',
  hash: 'HLEN',
  zset: 'ZCARD',
  list: 'LLEN',
  set: 'SCARD',
};

/** By name, or (strings and hashes that have no expiry) by what is in them. */
function isSuspect({ key, type, ttlMs }: Pick<Observed, 'key' | 'type' | 'ttlMs'>): boolean {
  if (SIZE[type] === undefined) return false;
  if (ttlMs === undefined && (type === 'string' || type === 'hash')) return true;
  const { lock, semaphore } = nameSays(key);
  return lock || semaphore || libraryByName(key) !== undefined;
}

function contentQuestion({ key, type, size }: Observed & { readonly size: number }): readonly string[] {
  if (type === 'string') return ['GETRANGE', key, '0', VALUE_END];
  if (type === 'hash') return size <= FEW_FIELDS ? ['HKEYS', key] : ['EXISTS', key];
  if (type === 'zset') return ['ZRANGE', key, '0', '2', 'WITHSCORES'];
  if (type === 'list') return ['LRANGE', key, '0', '99'];
  return ['EXISTS', key];
}

function contentOf(type: string, content: unknown, top: unknown): Partial<Observed> {
  if (type === 'string') return stringOf(String(content ?? ''));
  if (type === 'hash') return Array.isArray(content) ? { fields: content.map(String) } : {};
  if (type === 'list') return { items: ((content ?? []) as unknown[]).map(String) };
  if (type === 'zset') return { scores: [...scored(content), ...scored(top)] };
  return {};
}

/** Keys with the same small number share one object on the server, so its idle time is not theirs. */
function stringOf(value: string): Partial<Observed> {
  return /^(0|[1-9]\d{0,3})$/.test(value) ? { value, idleMs: undefined } : { value };
}

function scored(flat: unknown): Scored[] {
  const texts = Array.isArray(flat) ? flat.map(String) : [];
  const all: Scored[] = [];
  for (let i = 0; i + 1 < texts.length; i += 2)
    all.push({ member: texts[i] ?? '', score: Number(texts[i + 1]) });
  return all;
}
