/** `holdfast audit` on a server that is filled by the libraries themselves, and by hand as people do it. */
import { randomBytes, randomUUID } from 'node:crypto';
import { Holdfast } from 'holdfast';
import { Redis } from 'ioredis';
import { Mutex, Semaphore } from 'redis-semaphore';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { RedisPy } from '../../holdfast/test/behaviour/support/redis-py.ts';
import { type RedisProcess, startServer } from '../../testkit/src/index.ts';
import type { Finding } from '../src/audit/finding.ts';
import { fillCache } from './support/cache.ts';
import { run } from './support/cli.ts';
import { redlockOn } from './support/redlock.ts';

let server: RedisProcess;
let redis: Redis;

beforeAll(async () => {
  server = await startServer();
  redis = new Redis(server.url);
});
afterAll(async () => {
  redis?.disconnect();
  await server?.shutdown();
});
beforeEach(async () => {
  await redis.flushall();
});

async function audit(...args: string[]): Promise<{
  code: number | null;
  findings: Finding[];
  locks: Record<string, number>;
  looked: number;
  hidden: number;
  complete: boolean;
}> {
  const { code, stdout, stderr } = await run(server.url, ['audit', '--json', ...args]);
  expect(stderr).toBe('');
  return { code, ...JSON.parse(stdout) };
}

const told = (findings: readonly Finding[]) =>
  findings.map(({ key, problem, sure }) => `${key}: ${problem}, ${sure}`).sort();

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

interface Row {
  readonly title: string;
  fill(): Promise<unknown>;
  /** `problem, sure`; none = it must not be flagged. */
  readonly flagged: readonly string[];
  readonly never?: true;
}

let ends: (() => Promise<unknown>)[] = [];
const later = (end: () => Promise<unknown>) => ends.push(end);
afterEach(async () => {
  for (const end of ends) await end().catch(() => {});
  ends = [];
});

let redisPy: RedisPy | undefined;
beforeAll(async () => {
  redisPy = await RedisPy.start(server.port).catch((error: Error) => {
    console.warn(`\nNOT RUN: audit of locks of redis-py: ${error.message}\n`);
    return undefined;
  });
}, 240_000);
afterAll(() => redisPy?.[Symbol.asyncDispose]());

async function python(timeoutS: number): Promise<void> {
  expect(await redisPy?.acquire('report:42', timeoutS)).toBe('acquired');
}

const TABLE: readonly Row[] = [
  {
    title: 'redlock: a lock of 10 s',
    fill: () => redlockOn(redis).acquire(['locks:account:1'], 10_000),
    flagged: [],
  },
  {
    title: 'redlock: a lock of three days',
    fill: () => redlockOn(redis).acquire(['lock:deploy'], 3 * DAY),
    flagged: ['long expiry, likely'],
  },
  {
    title: 'redlock: one that somebody made permanent',
    fill: async () => {
      await redlockOn(redis).acquire(['lock:deploy'], 60_000);
      await redis.persist('lock:deploy');
    },
    flagged: ['no expiry, likely'],
    never: true,
  },
  {
    title: 'redis-semaphore: Mutex',
    fill: async () => {
      const mutex = new Mutex(redis, 'orders', { lockTimeout: 10_000, onLockLost: () => {} });
      await mutex.acquire();
      later(() => mutex.release());
    },
    flagged: [],
  },
  {
    title: 'redis-semaphore: Semaphore',
    fill: async () => {
      const semaphore = new Semaphore(redis, 'api', 3, { lockTimeout: 10_000, onLockLost: () => {} });
      await semaphore.acquire();
      later(() => semaphore.release());
    },
    flagged: [],
  },
  { title: 'redis-py: Lock with a timeout', fill: () => python(30), flagged: [] },
  { title: 'redis-py: Lock without', fill: () => python(0), flagged: ['no expiry, likely'], never: true },
  {
    title: 'Holdfast: a lock, a semaphore, a read-write lock with three readers, a waiter',
    fill: async () => {
      const holdfast = new Holdfast(redis);
      await holdfast.lock('mine:lock', { ttlMs: DAY }).acquire();
      await holdfast.semaphore('mine:semaphore', { limit: 3 }).acquire();
      for (let i = 0; i < 3; i++) await holdfast.readWrite('mine:rw-lock').read.acquire();
      holdfast
        .lock('mine:lock')
        .acquire()
        .catch(() => {});
      later(() => holdfast.close());
    },
    flagged: [],
  },
  {
    title: 'by hand: SET NX PX with a random value',
    fill: () => redis.set('lock:import', randomBytes(20).toString('hex'), 'PX', 10_000, 'NX'),
    flagged: [],
  },
  {
    title: 'by hand: SETNX 1',
    fill: () => redis.setnx('lock:import', '1'),
    flagged: ['no expiry, likely', 'no owner, likely'],
    never: true,
  },
  {
    title: 'by hand: SETNX with a pid',
    fill: () => redis.setnx('import-lock', '4242'),
    flagged: ['no expiry, likely', 'no owner, likely'],
    never: true,
  },
  {
    title: 'by hand: SETNX with a UUID',
    fill: () => redis.setnx('importMutex', randomUUID()),
    flagged: ['no expiry, likely'],
    never: true,
  },
  {
    title: 'by hand: SETNX with host and pid',
    fill: () => redis.setnx('cronlock:nightly', 'web-1:4242'),
    flagged: ['no expiry, likely'],
    never: true,
  },
  {
    title: 'by hand: a constant with an expiry',
    fill: () => redis.set('nightly:lock', 'locked', 'EX', 60, 'NX'),
    flagged: ['no owner, likely'],
  },
  {
    title: 'by hand: a time with an expiry',
    fill: () => redis.set('nightly:lock', String(Date.now()), 'EX', 60, 'NX'),
    flagged: ['no owner, likely'],
  },
  {
    title: 'by hand: an expiry of a week',
    fill: () => redis.set('nightly:lock', randomUUID(), 'EX', 7 * 86_400, 'NX'),
    flagged: ['long expiry, likely'],
  },
  {
    title: 'by hand: a semaphore with fresh entries',
    fill: () => redis.zadd('semaphore:remote', Date.now() / 1000, randomUUID()),
    flagged: [],
  },
  {
    title: 'by hand: a semaphore with entries of last week',
    fill: () =>
      redis.zadd(
        'semaphore:remote',
        Date.now() / 1000 - 7 * 86_400,
        randomUUID(),
        Date.now() / 1000,
        randomUUID(),
      ),
    flagged: ['stale permits, likely'],
    never: true,
  },
  {
    title: 'by hand: a fair semaphore, ranks for scores',
    fill: () => redis.zadd('semaphore:remote:owner', 1, randomUUID(), 2, randomUUID()),
    flagged: ['permits without time, likely'],
    never: true,
  },
  {
    title: 'by hand: a semaphore that counts',
    fill: () => redis.set('semaphore:api', '3'),
    flagged: ['permits without time, likely'],
    never: true,
  },
  {
    title: 'by hand: a counting one that nobody holds',
    fill: () => redis.set('semaphore:api', '0'),
    flagged: [],
  },
  {
    title: 'Redisson: RLock',
    fill: async () => {
      await redis.hset('anyName', `${randomUUID()}:53`, '1');
      await redis.pexpire('anyName', 30_000);
    },
    flagged: [],
  },
  {
    title: 'Redisson: RLock without expiry',
    fill: () => redis.hset('anyName', `${randomUUID()}:53`, '1'),
    flagged: ['no expiry, certain'],
    never: true,
  },
  {
    title: 'Redisson: the queue of a fair lock that nobody holds',
    fill: () => redis.rpush('redisson_lock_queue:{fair}', `${randomUUID()}:1`),
    flagged: ['dead queue, likely'],
  },
  {
    title: 'Sidekiq: unique jobs',
    fill: () => redis.hset('uniquejobs:5a1b9f:LOCKED', '2f9c0d', '1700000000.1'),
    flagged: ['no expiry, certain'],
    never: true,
  },
  {
    title: 'Laravel: a unique job without an end',
    fill: () =>
      redis.set('laravel_database_laravel_unique_job:App\\Jobs\\Import1', 's:16:"aB3dE5gH7jK9mN1p";'),
    flagged: ['no expiry, certain'],
    never: true,
  },
  {
    title: 'Laravel: withoutOverlapping of a day',
    fill: () => redis.set(`laravel_cache:framework/schedule-${'0a'.repeat(20)}`, 'b:1;', 'EX', 86_400),
    flagged: [],
  },
  {
    title: 'Celery: celery-singleton',
    fill: () => redis.set('SINGLETONLOCK_5a1b9f', randomUUID()),
    flagged: ['no expiry, certain'],
    never: true,
  },
  { title: 'Celery: kombu', fill: () => redis.set('unacked_mutex', '1', 'EX', 300), flagged: [] },
  {
    title: 'ShedLock: five minutes',
    fill: () => redis.set('job-lock:default:report', 'ADDED:2026-01-01T00:00:00Z@web-1', 'PX', 300_000),
    flagged: [],
  },
  {
    title: 'BullMQ: an active job with a worker',
    fill: async () => {
      await redis.rpush('bull:mail:active', '1');
      await redis.set('bull:mail:1:lock', randomUUID(), 'PX', 30_000);
    },
    flagged: [],
  },
  {
    title: 'BullMQ: an active job without',
    fill: () => redis.rpush('bull:mail:active', '1'),
    flagged: ['dead queue, likely'],
  },
  { title: 'a UUID that may be anything', fill: () => redis.set('something', randomUUID()), flagged: [] },
];

describe('what it must flag, and what it must not', () => {
  test.each(TABLE)('$title', async ({ title, fill, flagged, never = false }) => {
    if (title.startsWith('redis-py') && redisPy === undefined) return;
    await fill();
    const { code, findings } = await audit();
    expect(told(findings).map((line) => line.slice(line.lastIndexOf(': ') + 2))).toEqual([...flagged].sort());
    expect(code).toBe(never ? 1 : 0);
    for (const { why, todo, what } of findings)
      for (const text of [why, todo, what]) expect(text.length).toBeGreaterThan(10);
  });

  test('all of them at once are found beside 1,000 ordinary keys, and none of those', async () => {
    await fillCache(redis, 1_000);
    const clean = await audit();
    expect(told(clean.findings)).toEqual([]);
    expect(clean).toMatchObject({ code: 0, looked: await redis.dbsize(), locks: {}, complete: true });
    await redis.setnx('lock:import', '1');
    await redis.hset('anyName', `${randomUUID()}:53`, '1');
    const { findings } = await audit();
    expect(told(findings)).toEqual([
      'anyName: no expiry, certain',
      'lock:import: no expiry, likely',
      'lock:import: no owner, likely',
    ]);
    const more = await audit('--all');
    expect(more.findings.length).toBeGreaterThan(findings.length);
    expect(more.hidden).toBe(0);
  });
});

describe('how it looks', () => {
  test('it reads only', async () => {
    await fillCache(redis, 330);
    await redis.setnx('lock:import', '1');
    await redis.zadd('semaphore:remote', 1, 'x');
    await redis.config('RESETSTAT');
    await audit();
    const stats = await redis.info('commandstats');
    const called = [...stats.matchAll(/^cmdstat_([^:]+):/gm)].map(([, name = '']) =>
      name.replace(/\|.*/, ''),
    );
    const flags = (await redis.call('COMMAND', 'INFO', ...new Set(called))) as [string, number, string[]][];
    const writing = flags.filter(([, , its]) => its.includes('write')).map(([name]) => name);
    expect(writing).toEqual([]);
    expect(called).not.toContain('keys');
  });

  test('values are never shown', async () => {
    const secret = randomBytes(16).toString('hex');
    await redis.setnx('lock:import', secret);
    const { stdout } = await run(server.url, ['audit', '--all']);
    expect(stdout).toContain('lock:import');
    expect(stdout).not.toContain(secret);
    expect((await run(server.url, ['audit', '--json'])).stdout).not.toContain(secret);
  });

  test('for people: how sure it is, why it matters, what to do', async () => {
    await redis.setnx('lock:import', '10000');
    const { code, stdout } = await run(server.url, ['audit']);
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /NEVER COMES BACK {2}lock:import {2}\(string, no expiry, idle .*\)\n {2}no expiry, likely: .*\n {2}why: .*\n {2}do: {2}.*DEL/,
    );
    expect(stdout).toMatch(/Looked at 1 keys: 1 hand-written[\s\S]*1 never come back\.\n$/);
  });

  test('--prefix, more than once, and --sample bound what is looked at', async () => {
    await redis.mset('a:lock', '1', 'b:lock', '1', 'c:lock', '1', 'a*:lock', '1');
    const keys = async (...args: string[]) =>
      [...new Set((await audit(...args)).findings.map(({ key }) => key))].sort();
    expect(await keys('--prefix', 'a:', 'b:')).toEqual(['a:lock', 'b:lock']);
    expect(await keys('--prefix', 'a*')).toEqual(['a*:lock']);
    await fillCache(redis, 1_000);
    const { looked, complete } = await audit('--sample', '300');
    expect(complete).toBe(false);
    expect(looked).toBeLessThan(400);
    expect((await run(server.url, ['audit', '--sample', '300'])).stdout).toContain(
      '(a sample; --sample looks further)',
    );
  });

  test('of a small number as its value no idle time is told: the server has one for all keys with it', async () => {
    await redis.mset('lock:numbered', '1', 'lock:named', '10000');
    const { findings } = await audit();
    const idle = (key: string) =>
      findings.filter((one) => one.key === key).map(({ idleMs }) => typeof idleMs);
    expect(new Set(idle('lock:numbered'))).toEqual(new Set(['undefined']));
    expect(new Set(idle('lock:named'))).toEqual(new Set(['number']));
  });

  test('a lock that nobody has touched for hours is told with its idle time', async () => {
    await redis.set('lock:import', randomUUID(), 'EX', 7_200);
    const dump = await redis.dumpBuffer('lock:import');
    await redis.call('RESTORE', 'lock:import', '7200000', dump, 'REPLACE', 'IDLETIME', '7200');
    const { code, findings } = await audit();
    expect(findings).toMatchObject([{ problem: 'idle', key: 'lock:import' }]);
    expect(findings[0]?.idleMs).toBeGreaterThanOrEqual(7_200_000);
    expect(code).toBe(0);
  });
});
