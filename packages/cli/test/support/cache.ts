/** 1,000 ordinary keys, as applications and their frameworks leave them: none is a lock. Many have names or values that look a little like one. */
import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';

const hash = (text: string, length: number) =>
  createHash('sha256').update(text).digest('hex').slice(0, length);
const uuid = (i: number) => {
  const h = hash(`uuid${i}`, 32);
  return `${h.slice(0, 8)}-${h.slice(8, 12)}-4${h.slice(13, 16)}-a${h.slice(17, 20)}-${h.slice(20)}`;
};
const day = 86_400;

type Fill = (redis: Redis, i: number) => Promise<unknown>;

const KINDS: Readonly<Record<string, Fill>> = {
  'a cached document': (redis, i) =>
    redis.set(`cache:user:${i}`, JSON.stringify({ id: i, name: 'x' }), 'EX', 3600),
  'a document without expiry': (redis, i) => redis.set(`product:${i}`, JSON.stringify({ id: i, owner: 'a' })),
  'a page': (redis, i) => redis.set(`page:/blog/${i}`, `<html>${i}</html>`, 'EX', 60),
  'a counter': (redis, i) => redis.set(`views:page:${i}`, String(i * 7)),
  'a counter at 1': (redis, i) => redis.set(`signups:2026-01-${i}`, '1'),
  'a rate limit': (redis, i) => redis.set(`ratelimit:10.0.0.${i}`, '3', 'EX', 60),
  'a session by id': (redis, i) =>
    redis.set(`sess:${hash(`s${i}`, 32)}`, `{"cookie":{},"user":${i}}`, 'EX', day),
  'an id looked up by mail': (redis, i) => redis.set(`email:user${i}@example.com`, uuid(i)),
  'a token of a user': (redis, i) => redis.set(`user:${i}:api-token`, hash(`t${i}`, 40)),
  'a checksum': (redis, i) => redis.set(`etag:/asset/${i}.js`, hash(`e${i}`, 32), 'EX', 30 * day),
  'a flag': (redis, i) => redis.set(`feature:dark-mode:${i}`, 'true'),
  'an account that is locked': (redis, i) => redis.set(`user:${i}:locked`, '1'),
  'a clock': (redis, i) => redis.set(`clock:offset:${i}`, String(i)),
  'a block of a chain': (redis, i) => redis.set(`block:${800_000 + i}`, hash(`b${i}`, 64)),
  'a list of blocked users': (redis, i) => redis.sadd(`blocked:${i}`, 'a', 'b'),
  'an unlock code': (redis, i) => redis.set(`unlock:${i}`, String(100_000 + i), 'EX', 600),
  'a semester': (redis, i) => redis.set(`semester:${2000 + i}`, '1'),
  'stock of padlocks': (redis, i) => redis.set(`padlock:stock:${i}`, String(i)),
  'a text about locks': (redis, i) =>
    redis.set(`article:lock-picking:${i}`, `How to open a lock, part ${i}, in plain words.`),
  'the last visit': (redis, i) => redis.set(`lastseen:${i}`, String(1_760_000_000 + i)),
  'a user as a hash': (redis, i) => redis.hset(`user:${i}`, { name: 'x', limit: '5', visits: '3' }),
  'a cart by article': (redis, i) => redis.hset(`cart:${i}`, { [uuid(i)]: '2' }),
  'a board of scores': (redis, i) => redis.zadd(`leaderboard:${i}`, 10, uuid(1), 20, uuid(2)),
  'recent visits': (redis, i) => redis.zadd(`recent:${i}`, 1_600_000_000, uuid(1), 1_700_000_000, uuid(2)),
  'a job queue': (redis, i) => redis.rpush(`queue:mail:${i}`, JSON.stringify({ class: 'Mail', args: [i] })),
  'a set of tags': (redis, i) => redis.sadd(`tags:${i}`, 'red', 'blue'),
  'what Laravel caches': (redis, i) =>
    redis.set(`laravel_cache:${hash(`l${i}`, 40)}`, `a:1:{s:2:"id";i:${i};}`, 'EX', day),
  'what Rails caches': (redis, i) =>
    redis.set(`rails:views/products/${i}`, '\u0004\bo: ActiveSupport::Cache::Entry', 'EX', day),
  'a result of Celery': (redis, i) =>
    redis.set(`celery-task-meta-${uuid(i)}`, '{"status":"SUCCESS","result":null}', 'EX', day),
  'a JWT': (redis, i) =>
    redis.set(`jwt:${i}`, `eyJhbGciOiJIUzI1NiJ9.${hash(`j${i}`, 60)}.${hash(`k${i}`, 43)}`, 'EX', 3600),
  'an address of a service': (redis, i) => redis.set(`service:search:${i}`, `http://10.0.0.${i}:9200/`),
  'a stream': (redis, i) => redis.xadd(`events:${i}`, '*', 'a', 'b'),
  'a bitmap': (redis, i) => redis.setbit(`active:2026-02-${i}`, i, 1),
};

export async function fillCache(redis: Redis, count: number): Promise<void> {
  const kinds = Object.values(KINDS);
  const work = Array.from({ length: count }, (_, i) =>
    kinds[i % kinds.length]?.(redis, Math.floor(i / kinds.length)),
  );
  await Promise.all(work);
}
