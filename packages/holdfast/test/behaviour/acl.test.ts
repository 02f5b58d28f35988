/** What a user of the server needs to be allowed, and what happens without it [38]. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eventually, type RedisProcess, startServer } from '../../../testkit/src/index.ts';
import { AcquireTimeoutError, type Holdfast, ServerRefusedError } from '../../src/index.ts';
import { clients } from '../suites/clients.ts';
import { type Instance, instanceOf, KINDS, open } from './support/instance.ts';
import { freshName, queued } from './support/server.ts';
import { pass, took } from './support/time.ts';

/** All that Holdfast needs on one server, for the prefix `app`: this is the line that docs/safety.md gives. */
const KEYS = '~app:* resetchannels &app:holdfast:*';
const COMMANDS = [
  ...[
    'eval',
    'evalsha',
    'time',
    'get',
    'set',
    'del',
    'exists',
    'pttl',
    'pexpire',
    'publish',
    'subscribe',
    'pubsub|numsub',
  ],
  ...['zadd', 'zrem', 'zrange', 'zcard', 'zscore', 'zmscore', 'zrank', 'zpopmin'],
];
/** And for semaphores over several servers. */
const QUORUM = ['hget', 'hset', 'hdel', 'hmget', 'hgetall', 'hexists'];
/**
 * Refusals of these do no harm: INFO looks for a bad eviction policy (and is ioredis's ready check), PING for a dead line, TYPE says
 * what stands where a lock or semaphore should be.
 */
const USEFUL = ['info', 'ping', 'type'];
const rights = (commands: readonly string[]) => commands.map((command) => `+${command}`).join(' ');

const USERS = [
  `user minimal on >secret ${KEYS} -@all ${rights([...COMMANDS, ...USEFUL])}`,
  `user voter on >secret ${KEYS} -@all ${rights([...COMMANDS, ...QUORUM, ...USEFUL])}`,
  'user all on >secret ~* &* +@all',
  'user deaf on >secret ~* &* +@all -subscribe',
  'user nochannels on >secret ~* resetchannels +@all',
  'user mute on >secret ~* &* +@all -publish',
  'user noeval on >secret ~* &* +@all -eval -evalsha',
  'user noevalsha on >secret ~* &* +@all -evalsha',
  'user nozadd on >secret ~* &* +@all -zadd',
  'user nokeys on >secret ~app:* &* +@all',
];

let server: RedisProcess;
beforeAll(async () => {
  server = await startServer({ aclLines: USERS });
});
afterAll(async () => {
  await server.shutdown();
});
beforeEach(async () => {
  await server.command('FLUSHALL');
});

/** What the server has refused since its log was reset, but for the names that clients give to their connections. */
async function refused(one: RedisProcess = server): Promise<string[]> {
  const log = (await one.command('ACL', 'LOG')) as string[][];
  return log
    .map((entry) => String(entry[entry.indexOf('object') + 1]))
    .filter((what) => !/^client/.test(what));
}

describe.each(KINDS)('%s', (kind) => {
  async function as(username: string, prefix?: string) {
    const client = { username, password: 'secret' };
    return heard(await open(server.port, { kind, client, ...(prefix && { prefix }) }));
  }

  async function asVoter(servers: readonly RedisProcess[]) {
    const options = { username: 'voter', password: 'secret' };
    const made = await Promise.all(servers.map(({ port }) => clients[kind]({ port }, options)));
    const end = async () => void (await Promise.all(made.map((one) => one.end())));
    return heard(instanceOf({ client: made.map(({ client }) => client), end }, { prefix: 'app' }));
  }

  function heard(instance: Instance) {
    const warnings: string[] = [];
    instance.holdfast.on('warning', ({ code }) => warnings.push(code));
    return Object.assign(instance, { warnings });
  }

  /** Everything once: alone, in the way of somebody, given up, renewed, handed off, looked at. */
  async function everything(one: Holdfast, two: Holdfast): Promise<void> {
    const name = freshName();
    const [lock, other] = [one.lock(name, { waitMs: 500 }), two.lock(name, { waitMs: 500 })];
    await lock.use(() => {});
    await lock.use(() => {});
    const lease = await lock.acquire();
    expect(await other.tryAcquire()).toBeUndefined();
    await expect(other.acquire({ waitMs: 20 })).rejects.toBeInstanceOf(AcquireTimeoutError);
    expect(await lease.renew()).toBe('renewed');
    const waits = Promise.all([other.use(() => {}), other.use(() => {})]);
    waits.catch(() => {});
    await eventually(async () => (await one.inspect(name)).queueLength === 2, { withinMs: 400, everyMs: 5 });
    expect(await lease.release()).toBe('released');
    await waits;
    expect(await one.inspect(name)).toMatchObject({ state: 'free', queueLength: 0 });
  }

  /** The same of a semaphore, with slots: its limit set, somebody at the wrong door. */
  async function everySeat(one: Holdfast, two: Holdfast): Promise<void> {
    const name = freshName('seats');
    const seats = one.semaphore(name, { limit: 2, slots: true, waitMs: 500 });
    const lease = await seats.acquire(2);
    const other = two.semaphore(name, { waitMs: 500 });
    expect(await other.tryAcquire()).toBeUndefined();
    const waiting = other.acquire();
    waiting.catch(() => {});
    await eventually(async () => (await seats.inspect()).queueLength === 1, { withinMs: 400, everyMs: 5 });
    expect(await lease.renew()).toBe('renewed');
    expect(await lease.release()).toBe('released');
    await (await waiting).release();
    await seats.setLimit(3);
    await expect(two.lock(name).acquire()).rejects.toMatchObject({
      name: 'WrongTypeError',
      found: 'semaphore',
    });
    expect(await seats.inspect()).toMatchObject({ held: 0, limit: 3 });
  }

  /** The same of a read-write lock: an upgrade and a downgrade that others wait for, somebody at the wrong door. */
  async function everySide(one: Holdfast, two: Holdfast): Promise<void> {
    const name = freshName('sides');
    const [lock, other] = [one.readWrite(name), two.readWrite(name)];
    const reader = await other.read.acquire();
    const lease = await lock.upgradeable.acquire();
    const upgraded = lease.upgrade();
    await eventually(async () => (await lock.inspect()).queueLength === 1, { withinMs: 400, everyMs: 5 });
    expect(await reader.release()).toBe('released');
    await upgraded;
    const reading = other.read.acquire();
    await eventually(async () => (await lock.inspect()).queueLength === 1, { withinMs: 400, everyMs: 5 });
    await lease.downgrade();
    await (await reading).release();
    expect(await lease.renew()).toBe('renewed');
    expect(await lease.release()).toBe('released');
    await expect(two.lock(name).acquire()).rejects.toMatchObject({ found: 'read-write lock' });
  }

  test('the documented line of rights is enough for everything, with a prefix, without a warning', async () => {
    await using one = await as('minimal', 'app');
    await using two = await as('minimal', 'app');
    await server.command('ACL', 'LOG', 'RESET');
    for (let round = 0; round < 3; round++) await everything(one.holdfast, two.holdfast);
    for (let round = 0; round < 3; round++) await everySeat(one.holdfast, two.holdfast);
    for (let round = 0; round < 3; round++) await everySide(one.holdfast, two.holdfast);
    // The rights to take a subscription back, and to ask again after a message was lost.
    const lease = await one.holdfast.lock('moved', { ttlMs: 300, renew: false }).acquire();
    const waiting = two.holdfast.lock('moved').acquire();
    await server.command('DEL', 'app:moved');
    expect(await (await waiting).release()).toBe('released');
    expect(await lease.release()).toBe('lost');
    await Promise.all([one.holdfast.close(), two.holdfast.close()]);
    expect([...one.warnings, ...two.warnings]).toEqual([]);
    expect(await refused()).toEqual([]);
  });

  describe('over three servers', () => {
    let servers: RedisProcess[];
    beforeAll(async () => {
      servers = await Promise.all([1, 2, 3].map(() => startServer({ aclLines: USERS })));
    });
    afterAll(async () => {
      await Promise.all(servers.map((one) => one.shutdown()));
    });
    const refusals = async () => (await Promise.all(servers.map(refused))).flat();

    test('the rights of that line and those for hashes are enough, without a warning', async () => {
      await using one = await asVoter(servers);
      await using two = await asVoter(servers);
      for (const server of servers) await server.command('ACL', 'LOG', 'RESET');
      for (let round = 0; round < 3; round++) await everything(one.holdfast, two.holdfast);
      for (let round = 0; round < 3; round++) await everySeat(one.holdfast, two.holdfast);
      // Those to give a node back what it lost.
      const lease = await one.holdfast.lock('kept').acquire();
      const seat = await one.holdfast.semaphore('kept seats', { limit: 2 }).acquire();
      await servers[0]?.command('DEL', 'app:kept', 'app:kept seats');
      expect([await lease.renew(), await seat.renew()]).toEqual(['renewed', 'renewed']);
      const there = async () => (await servers[0]?.command('EXISTS', 'app:kept', 'app:kept seats')) === 2;
      await eventually(there, { withinMs: 1_000, everyMs: 5 });
      await Promise.all([one.holdfast.close(), two.holdfast.close()]);
      expect([...one.warnings, ...two.warnings]).toEqual([]);
      expect(await refusals()).toEqual([]);
    });

    test('of the rights for hashes none can be left out', async () => {
      const missed: string[] = [];
      for (const command of QUORUM) {
        const others = [...COMMANDS, ...QUORUM, ...USEFUL].filter((one) => one !== command);
        const rule = `reset on >secret ${KEYS} -@all ${rights(others)}`;
        for (const server of servers) {
          await server.command('ACL', 'SETUSER', 'voter', ...rule.split(' '));
          await server.pipeline([['FLUSHALL'], ['ACL', 'LOG', 'RESET']]);
        }
        await using one = await asVoter(servers);
        await using two = await asVoter(servers);
        await everySeat(one.holdfast, two.holdfast).catch(() => {});
        await Promise.all([one.holdfast.close(), two.holdfast.close()]);
        if ((await refusals()).includes(command)) missed.push(command);
      }
      expect(missed).toEqual(QUORUM);
    });
  });

  test('of the rights in that line none can be left out', async () => {
    const missed: string[] = [];
    for (const command of COMMANDS) {
      const others = COMMANDS.filter((one) => one !== command);
      const rule = `reset on >secret ${KEYS} -@all ${rights([...others, ...USEFUL])}`;
      await server.command('ACL', 'SETUSER', 'less', ...rule.split(' '));
      await server.pipeline([['SCRIPT', 'FLUSH'], ['FLUSHALL'], ['ACL', 'LOG', 'RESET']]);
      await using one = await as('less', 'app');
      await using two = await as('less', 'app');
      await everything(one.holdfast, two.holdfast).catch(() => {});
      await everySeat(one.holdfast, two.holdfast).catch(() => {});
      await Promise.all([one.holdfast.close(), two.holdfast.close()]);
      if ((await refused()).includes(command)) missed.push(command);
    }
    expect(missed).toEqual(COMMANDS);
  });

  test.each(['deaf', 'nochannels', 'mute'])(
    'a waiter that is %s polls, gets the lock all the same, and says so once',
    async (user) => {
      await using holder = await as('all');
      await using waiter = await as(user);
      for (let round = 0; round < 3; round++) {
        const name = freshName();
        const lease = await holder.holdfast.lock(name).acquire();
        const waiting = waiter.holdfast.lock(name).acquire();
        await pass(50);
        await lease.release();
        const { ms, value } = await took(waiting);
        expect(ms).toBeLessThan(1_000);
        expect(await value.release()).toBe('released');
      }
      const busy = await holder.holdfast.lock('busy').acquire();
      await expect(waiter.holdfast.lock('busy').acquire({ waitMs: 100 })).rejects.toBeInstanceOf(
        AcquireTimeoutError,
      );
      await busy.release();
      const seats = holder.holdfast.semaphore(freshName(), { limit: 2 });
      const held = await seats.acquire(2);
      const polling = waiter.holdfast.semaphore(seats.name).acquire();
      await pass(50);
      await held.release();
      const polled = await took(polling);
      expect(polled.ms).toBeLessThan(1_000);
      expect(await polled.value.release()).toBe('released');
      expect(waiter.warnings).toEqual(['HOLDFAST_POLLING']);
      expect(holder.warnings).toEqual([]);
    },
  );

  test.each(['mute', 'nochannels'])(
    'a holder that is %s releases, says once that it cannot hand on, and the waiter gets the lock by asking',
    async (user) => {
      await using holder = await as(user);
      await using waiter = await as('all');
      for (let round = 0; round < 2; round++) {
        const name = freshName();
        const lease = await holder.holdfast.lock(name, { ttlMs: 1_000 }).acquire();
        const waiting = waiter.holdfast.lock(name).acquire();
        await queued(server, name, 1);
        expect(await lease.release()).toBe('released');
        const { ms, value } = await took(waiting);
        // When the lease in its way would have ended.
        expect(ms).toBeLessThan(1_500);
        expect(await value.release()).toBe('released');
      }
      const seats = holder.holdfast.semaphore(freshName(), { limit: 1, ttlMs: 1_000 });
      const held = await seats.acquire();
      const asking = waiter.holdfast.semaphore(seats.name).acquire();
      await eventually(async () => (await seats.inspect()).queueLength === 1);
      expect(await held.release()).toBe('released');
      expect(await seats.inspect()).toMatchObject({ held: 0, queueLength: 1 });
      const asked = await took(asking);
      expect(asked.ms).toBeLessThan(1_500);
      expect(await asked.value.release()).toBe('released');
      expect(holder.warnings).toEqual(['HOLDFAST_NO_PUBLISH']);
      expect(waiter.warnings).toEqual([]);
    },
  );

  test.each([
    ['noeval', /evalsha/i],
    ['noevalsha', /evalsha/i],
    ['nozadd', /command/i],
    ['nokeys', /key/i],
  ])('without a right that nothing can replace (%s) a typed error names it, at once', async (user, right) => {
    await using instance = await as(user);
    const lock = instance.holdfast.lock(freshName());
    for (const call of [() => lock.acquire(), () => lock.tryAcquire(), () => lock.use(() => {})]) {
      const { ms, value } = await took(call().catch((error: unknown) => error));
      expect(value).toBeInstanceOf(ServerRefusedError);
      expect(value).toMatchObject({ reply: 'NOPERM', lockName: lock.name });
      expect(String(value)).toMatch(right);
      expect(ms).toBeLessThan(500);
    }
    expect(await server.command('EXISTS', lock.name)).toBe(0);
  });
});
