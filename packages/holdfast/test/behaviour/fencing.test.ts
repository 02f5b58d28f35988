/** Tokens of successive grants grow, whatever happens to the server's data and clock in between. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  eventually,
  type RedisProcess,
  type SentinelGroup,
  startProxy,
  startSentinel,
  startServer,
  startWorker,
} from '../../../testkit/src/index.ts';
import type { Holdfast, Lease } from '../../src/index.ts';
import { sentinels } from '../suites/clients.ts';
import { type Instance, instanceOf, KINDS, open } from './support/instance.ts';
import { callsDuring, freshName, queued } from './support/server.ts';
import { pass, took } from './support/time.ts';
import { expectGrowing } from './support/tokens.ts';

const HOLDER = new URL('./workers/stopped-holder.mjs', import.meta.url);

/** `count` grants, each released before the next one is asked for. */
async function inTurn(tokens: number[], holdfasts: readonly Holdfast[], name: string, count: number) {
  for (let i = 0; i < count; i++)
    await holdfasts[i % holdfasts.length]?.lock(name).use((lease) => void tokens.push(lease.fencingToken));
}

/** As many grants, by several at once, so that nearly all are handed off. */
async function contended(tokens: number[], holdfasts: readonly Holdfast[], name: string, count: number) {
  const each = Math.ceil(count / holdfasts.length);
  await Promise.all(holdfasts.map((holdfast) => inTurn(tokens, [holdfast], name, each)));
}

describe('on one server', () => {
  let server: RedisProcess;
  let a: Instance;
  let b: Instance;
  let both: Holdfast[];

  beforeAll(async () => {
    server = await startServer();
    a = await open(server.port, { kind: KINDS[0] });
    b = await open(server.port, { kind: KINDS[1] });
    both = [a.holdfast, b.holdfast];
  });
  afterAll(async () => {
    await a[Symbol.asyncDispose]();
    await b[Symbol.asyncDispose]();
    await server.shutdown();
  });

  test('10,000 grants by two clients, alone, in turn and handed off, have growing tokens', async () => {
    const name = freshName();
    const tokens: number[] = [];
    // One that has never waited takes the plain pair: its scripts only release, but for the first grant after a queue.
    await using loner = await open(server.port);
    for (let round = 0; round < 5; round++) {
      const alone = () => inTurn(tokens, [loner.holdfast], name, 500);
      expect(await callsDuring(server, ['evalsha', 'eval'], alone)).toBeLessThan(520);
      await inTurn(tokens, both, name, 500);
      // The script hands off.
      const together = () => contended(tokens, [...both, ...both], name, 1_000);
      expect(await callsDuring(server, ['publish'], together)).toBeGreaterThan(900);
    }
    expect(tokens).toHaveLength(10_000);
    expectGrowing(tokens);
  });

  test('a server that restarts without its data goes on with greater tokens', async () => {
    const name = freshName();
    const tokens: number[] = [];
    for (let round = 0; round < 4; round++) {
      await inTurn(tokens, both, name, 10);
      await server.kill9();
      await server.restart();
      await contended(tokens, both, name, 10);
    }
    expectGrowing(tokens);
  });

  test('over 1,000 times FLUSHALL between grants, and with it the loss of the fence, tokens grow', async () => {
    const name = freshName();
    const tokens: number[] = [];
    for (let round = 0; round < 1_000; round++) {
      // A short one: a waiter that the flush removes from the queue asks again when the lease should have ended.
      const holder = await both[round % 2]?.lock(name, { ttlMs: 200 }).acquire();
      tokens.push(holder?.fencingToken ?? 0);
      const flushed = server.command('FLUSHALL');
      // Half of them ask before they know that the flush is done.
      if (round % 4 < 2) await flushed;
      await both[Math.floor(round / 2) % 2]?.lock(name).use((lease) => void tokens.push(lease.fencingToken));
      await holder?.release();
      await flushed;
    }
    expectGrowing(tokens);
  });

  test('a grant that a server with older data gives late has a greater token than what was lost', async () => {
    await using proxy = await startProxy(server);
    await using slow = await open(proxy.port);
    const name = freshName();
    const tokens: number[] = [];
    await inTurn(tokens, [slow.holdfast], name, 2);
    proxy.silence('up');
    const late = slow.holdfast.lock(name).tryAcquire();
    await pass(100);
    await inTurn(tokens, [a.holdfast], name, 1);
    const fence = `holdfast:{${name}}:fence:`;
    await server.pipeline([
      ['DEL', fence],
      ['ZADD', fence, tokens[0] ?? 0, 'alone'],
    ]);
    proxy.heal();
    await using lease = await late;
    tokens.push(lease?.fencingToken ?? 0);
    expectGrowing(tokens);
  });
});

describe('over a Sentinel fail-over', () => {
  let group: SentinelGroup;
  let instances: Instance[];

  beforeAll(async () => {
    group = await startSentinel();
    const open = async (kind: string) => {
      const made = await sentinels[kind]?.(group.masterName, group.sentinelPorts);
      if (!made) throw new Error(`there is no client ${kind}`);
      return instanceOf(made, { commandTimeoutMs: 1_000 });
    };
    instances = await Promise.all([open('ioredis 5 with Sentinel'), open('node-redis 6 createSentinel')]);
  });
  afterAll(async () => {
    await Promise.all(instances.map((instance) => instance[Symbol.asyncDispose]()));
    await group.shutdown();
  });

  /**
   * Grants to both clients all the time, through whatever `during` does. While it lasts there may be two masters, each with
   * a client that knows no other; who comes first is nobody's knowledge then. So: the tokens of each client grow
   * throughout, and after it all are greater than any before.
   */
  async function expectGrowthThrough(during: () => Promise<unknown>): Promise<void> {
    const name = freshName();
    let over = false;
    const before: number[] = [];
    const after: number[] = [];
    const work = async ({ holdfast }: Instance) => {
      const lock = holdfast.lock(name, { ttlMs: 1_000, waitMs: 2_000 });
      const own: number[] = [];
      for (let left = 20; left > 0; ) {
        const askedAfter = over;
        const grant = ({ fencingToken }: Lease) => {
          own.push(fencingToken);
          if (!over) before.push(fencingToken);
          if (!askedAfter) return;
          after.push(fencingToken);
          left--;
        };
        await lock.use(grant).catch(() => pass(10));
      }
      expectGrowing(own);
    };
    const working = Promise.all(instances.map(work));
    await pass(200);
    await during();
    over = true;
    await working;
    expectGrowing(after);
    expect(after[0]).toBeGreaterThan(Math.max(...before));
  }

  const currentMaster = async () => {
    const port = await group.currentMasterPort();
    const master = group.servers.find((server) => server.port === port);
    if (!master) throw new Error('there is a master');
    return master;
  };

  test('that is planned, tokens grow', async () => {
    const old = await currentMaster();
    await expectGrowthThrough(async () => {
      await group.failover();
      // Until then it goes on serving those who do not know better.
      const demoted = async () => String(((await old.command('ROLE')) as unknown[])[0]) === 'slave';
      await eventually(demoted, { withinMs: 15_000, what: 'the old master is a replica' });
    });
  });

  test('after a kill -9 of the master, tokens grow', async () => {
    const master = await currentMaster();
    await expectGrowthThrough(async () => {
      await master.kill9();
      await group.failedOver(master.port);
    });
  });
});

describe('when the clock of the server steps back by 60 s', () => {
  let server: RedisProcess | undefined;
  let unavailable = '';
  let a: Instance;
  let b: Instance;

  beforeAll(async () => {
    try {
      server = await startServer({ clockShift: true });
    } catch (error) {
      unavailable = (error as Error).message;
      if (!/clock shift unavailable/.test(unavailable)) throw error;
      return;
    }
    a = await open(server.port, { kind: KINDS[0] });
    b = await open(server.port, { kind: KINDS[1] });
  });
  afterAll(async () => {
    await a?.[Symbol.asyncDispose]();
    await b?.[Symbol.asyncDispose]();
    await server?.shutdown();
  });

  test('between leases, and forth again, tokens grow', async (context) => {
    if (!server) return context.skip(unavailable);
    const name = freshName();
    const tokens: number[] = [];
    for (const ms of [0, -60_000, 0, -60_000]) {
      await server.shiftClock(ms);
      // One that knew the clock before the step, and one that did not.
      await using fresh = await open(server.port);
      await inTurn(tokens, [a.holdfast, fresh.holdfast, b.holdfast], name, 30);
      await contended(tokens, [a.holdfast, b.holdfast, fresh.holdfast], name, 30);
    }
    await server.shiftClock(0);
    expectGrowing(tokens);
  });

  test('during a lease, its holder keeps it, and tokens grow', async (context) => {
    if (!server) return context.skip(unavailable);
    const name = freshName();
    const lease = await a.holdfast.lock(name).acquire();
    const waiting = b.holdfast.lock(name).acquire();
    await queued(server, name, 1);
    await server.shiftClock(-60_000);
    expect(await lease.renew()).toBe('renewed');
    expect(await a.holdfast.lock(name).tryAcquire()).toBeUndefined();
    const tokens = [lease.fencingToken];
    await lease.release();
    await using next = await waiting;
    tokens.push(next.fencingToken);
    await next.release();
    await inTurn(tokens, [a.holdfast, b.holdfast], name, 10);
    await server.shiftClock(0);
    expectGrowing(tokens);
  });

  test('a holder that renews after the step and is then stopped past its ttl is followed by a greater token', async (context) => {
    if (!server) return context.skip(unavailable);
    const name = freshName();
    const worker = startWorker(HOLDER, { args: [String(server.port), name, '600'] });
    const { token } = await worker.waitFor<{ token: number }>((m) => m?.token !== undefined);
    await server.shiftClock(-60_000);
    for (let renewals = 0; renewals < 3; renewals++) await worker.waitFor((m) => m === 'renewed');
    worker.stop();
    const lease = await b.holdfast.lock(name).acquire({ waitMs: 5_000 });
    expectGrowing([token, lease.fencingToken]);
    worker.cont();
    expect(await worker.waitFor<{ lost: string }>((m) => m?.lost !== undefined)).toEqual({ lost: 'expired' });
    expect(await lease.release()).toBe('released');
    await worker.exited;
    await server.shiftClock(0);
  });

  test('a waiter that came long before the step is served at the release all the same', async (context) => {
    if (!server) return context.skip(unavailable);
    const name = freshName();
    const lease = await a.holdfast.lock(name, { ttlMs: 60_000 }).acquire();
    const waits = [b, b, b].map(({ holdfast }) => holdfast.lock(name).use((next) => next.fencingToken));
    await queued(server, name, 3);
    // Longer than the lease that a hand-off begins with: by its own clock alone it would be over on arrival.
    await pass(3_200);
    await server.shiftClock(-60_000);
    await lease.release();
    const { ms, value } = await took(Promise.all(waits));
    expect(ms).toBeLessThan(1_000);
    expectGrowing([lease.fencingToken, ...[...value].sort((x, y) => x - y)]);
    await server.shiftClock(0);
  });
});
