/** CASES.md 38: users who may not do everything. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RedisProcess, startServer } from '../../../testkit/src/index.ts';
import { ioredis } from './support/instances.ts';
import { freshName, holderOf, isHeldBy, queued, recorded, took } from './support/moments.ts';

const USERS = [
  'user deaf on >secret ~* resetchannels +@all',
  'user nosubscribe on >secret ~* &* +@all -subscribe -ssubscribe',
  'user mute on >secret ~* &* +@all -publish -spublish',
  'user noscripts on >secret ~* &* +@all -eval -evalsha',
  'user nowrite on >secret ~* &* +@all -zadd',
  'user changing on >secret ~* &* +@all',
  'user narrow on >secret ~app:* ~holdfast:* &* +@all',
];

let server: RedisProcess;
beforeAll(async () => {
  server = await startServer({ aclLines: USERS });
});
afterAll(async () => {
  await server.shutdown();
});

const as = (username: string) => ioredis(server.port, {}, { username, password: 'secret' });

describe('a user without some right', () => {
  test.each(['deaf', 'nosubscribe', 'mute'])(
    '%s: waits by asking, says so once, and gets the lock [38]',
    async (user) => {
      await using waiter = as(user);
      await using holder = ioredis(server.port);
      const warnings = recorded(waiter.holdfast, 'warning');
      for (const name of [freshName(), freshName()]) {
        const lease = await holder.holdfast.lock(name).acquire();
        const waiting = Promise.all(
          [0, 1].map(() => waiter.holdfast.lock(name).use((mine) => mine.fencingToken)),
        );
        await expect(waiter.holdfast.lock(name).acquire({ waitMs: 150 })).rejects.toThrow(
          /not acquired within/,
        );
        const releasedAt = performance.now();
        await lease.release();
        const tokens = await waiting;
        expect(performance.now() - releasedAt).toBeLessThan(1_500);
        expect(Math.min(...tokens)).toBeGreaterThan(lease.fencingToken);
      }
      expect(warnings.map(({ code }) => code)).toEqual(['HOLDFAST_POLLING']);
    },
  );

  test('mute: its release of a lock that others wait for is no loss, and is told once [38]', async () => {
    await using holder = as('mute');
    await using waiter = ioredis(server.port);
    const warnings = recorded(holder.holdfast, 'warning');
    const name = freshName();
    const lease = await holder.holdfast.lock(name, { ttlMs: 1_000 }).acquire();
    const waiting = waiter.holdfast.lock(name).acquire();
    await queued(server, name, 1);
    expect(await lease.release()).toBe('released');
    await using next = await waiting;
    expect(await isHeldBy(server, next)).toBe(true);
    expect(warnings.map(({ code }) => code)).toEqual(['HOLDFAST_NO_PUBLISH']);
  });

  test.each([
    { user: 'noscripts', right: /'?eval(sha)?'?/i },
    { user: 'nowrite', right: /zadd|permission|can't run/i },
    { user: 'narrow', right: /key/i },
  ])(
    '$user: gets a typed error that names the right, at once, and leaves nothing [38]',
    async ({ user, right }) => {
      await using instance = as(user);
      const name = freshName();
      for (const call of ['acquire', 'tryAcquire'] as const) {
        const { ms, result } = await took(() => instance.holdfast.lock(name)[call]());
        expect(result).toMatchObject({
          reason: { name: 'ServerRefusedError', reply: 'NOPERM', lockName: name },
        });
        expect(result).toMatchObject({ reason: { message: expect.stringMatching(right) } });
        expect(ms).toBeLessThan(300);
        expect(await holderOf(server, name)).toBeUndefined();
      }
    },
  );
});

test('who is refused while it asks for all waiters of its process leaves the asking to the next [38]', async () => {
  await using waiter = as('changing');
  const name = freshName();
  // Of a holder that died: nobody will tell of its end.
  await server.command('SET', name, 'hf1-dead.dead:1', 'PX', 400);
  const waits = [1, 2, 3].map(async (place) => {
    await queued(server, name, place - 1);
    return await took(() => waiter.holdfast.lock(name).acquire());
  });
  await queued(server, name, 3);
  await server.command('ACL', 'SETUSER', 'changing', 'resetkeys', '~nothing:*');
  for (const { ms, result } of await Promise.all(waits)) {
    expect(result).toMatchObject({ reason: { name: 'ServerRefusedError' } });
    expect(ms).toBeLessThan(2_000);
  }
});
