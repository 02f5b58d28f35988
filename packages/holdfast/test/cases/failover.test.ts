/** CASES.md 21 and 34 where the master goes and its replica takes over. */
import { createSentinel } from 'redis';
import { expect, test } from 'vitest';
import { eventually, type SentinelGroup, startSentinel } from '../../../testkit/src/index.ts';
import { type Instance, instance, ioredis } from './support/instances.ts';
import { heard, pass, queueKey } from './support/moments.ts';

function followers(group: SentinelGroup) {
  const sentinels = group.sentinels.map(({ port }) => ({ host: '127.0.0.1', port }));
  const viaIoredis = () => ioredis(0, {}, { sentinels, name: group.masterName });
  const viaNodeRedis = () => {
    const raw = createSentinel({ name: group.masterName, sentinelRootNodes: sentinels });
    raw.on('error', () => {});
    raw.connect().catch(() => {});
    return instance(raw, () => raw.destroy());
  };
  const instances: [Instance, ...Instance[]] = [
    viaIoredis(),
    viaIoredis(),
    viaNodeRedis(),
    viaIoredis(),
    viaNodeRedis(),
  ];
  return {
    instances,
    async [Symbol.asyncDispose]() {
      await Promise.all(instances.map((one) => one[Symbol.asyncDispose]()));
    },
  };
}

test('after a fail-over the lease goes on, and every waiter is served by the new master, one at a time [6, 21, 34]', async () => {
  await using group = await startSentinel();
  await using all = followers(group);
  const [holder, ...waiters] = all.instances;
  const name = 'fail-over';
  const lease = await holder.holdfast.lock(name, { ttlMs: 30_000 }).acquire();
  let inside = 0;
  const tokens: number[] = [];
  const served = waiters.map(({ holdfast }) =>
    holdfast.lock(name, { waitMs: 30_000 }).use(async (mine) => {
      expect(++inside).toBe(1);
      tokens.push(mine.fencingToken);
      await pass(5);
      inside--;
    }),
  );
  await eventually(async () => (await group.replica.command('ZCARD', queueKey(name))) === waiters.length, {
    what: 'the replica knows all waiters',
  });
  const old = group.master;
  await old.kill9();
  const renewed = heard(holder.holdfast, 'renewed');
  await eventually(async () => (await group.currentMasterPort()) !== old.port, { withinMs: 10_000 });
  await eventually(async () => (await lease.renew()) === 'renewed', { withinMs: 10_000 });
  await renewed;
  const releasedAt = performance.now();
  expect(await lease.release()).toBe('released');
  await Promise.all(served);
  expect(performance.now() - releasedAt).toBeLessThan(6_000);
  expect(tokens.length).toBe(waiters.length);
  expect([lease.fencingToken, ...tokens]).toEqual([lease.fencingToken, ...tokens].toSorted((a, b) => a - b));
}, 60_000);
