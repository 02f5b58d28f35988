/** What is no quorum is told at once, and what was amiss at each node is told for each [33]. */
import { once } from 'node:events';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort, startServer } from '../../../testkit/src/index.ts';
import { Holdfast, type HoldfastEvents, QuorumError } from '../../src/index.ts';
import { freshName, Nodes, openQuorum } from './support/nodes.ts';
import { expectNoSecrets, failureOf } from './support/outcomes.ts';

const PASSWORD = 'p4ss-Of-Node';
const DEADLINE_MS = 500;
const GRACE_MS = 400;

let nodes: Nodes;
beforeAll(async () => {
  nodes = await Nodes.start(4);
});
afterAll(() => nodes[Symbol.asyncDispose]());

const addresses = (...indexes: number[]) => indexes.map((i) => ({ port: nodes.server(i).port }));

describe('a list that is no quorum', () => {
  const closed = () => new Redis({ lazyConnect: true });

  it.each<[string, RegExp, () => unknown[]]>([
    ['an empty one', /the list is empty; pass clients .*of 3 or 5/, () => []],
    ['one with something else in it', /number 2 of the list: it is a string/, () => [closed(), 'redis://x']],
    ['one with a hole', /number 3 of the list: it is undefined/, () => [closed(), closed(), undefined]],
    [
      'a list in the list',
      /number 2 of the list: it is a list within the list/,
      () => [closed(), [closed()]],
    ],
  ])('%s is refused when it is made', (_, message, list) => {
    expect(() => new Holdfast(list())).toThrow(message);
    expect(() => new Holdfast(list())).toThrow(TypeError);
  });

  it('with the same client twice is refused when it is made', () => {
    const one = closed();
    expect(() => new Holdfast([one, closed(), one])).toThrow(/number 3 of the list is in it twice/);
  });

  it('with two clients of one server is refused at first use, whatever that is', async () => {
    const name = freshName();
    const uses: ((holdfast: Holdfast) => Promise<unknown>)[] = [
      (holdfast) => holdfast.lock(name).tryAcquire(),
      (holdfast) => holdfast.lock(name).acquire({ waitMs: 10_000 }),
      (holdfast) => holdfast.lock(name).use(() => {}),
      (holdfast) => holdfast.inspect(name),
    ];
    for (const use of uses) {
      await using one = await openQuorum(addresses(0, 1, 0));
      const { error, ms } = await failureOf(use(one.holdfast));
      expect(error).toMatchObject({ name: 'TypeError', code: 'ERR_HOLDFAST_ARGUMENT' });
      expect(error.message).toMatch(/node [13] \(.*\) and node [13] \(.*\) are the same server/);
      expect(ms).toBeLessThan(1_000);
      await nodes.nothingLeft(name);
    }
  });

  it('with two clients of one server is refused when another server does not answer either', async () => {
    const list = [...addresses(0, 0), { port: await freePort() }];
    await using one = await openQuorum(list, { commandTimeoutMs: DEADLINE_MS });
    const { error } = await failureOf(one.holdfast.lock(freshName()).tryAcquire());
    expect(error).toMatchObject({ code: 'ERR_HOLDFAST_ARGUMENT' });
  });
});

describe('a read-write lock', () => {
  it('is refused at once, with what can be used instead', async () => {
    await using one = await openQuorum(addresses(0, 1, 2));
    expect(() => one.holdfast.readWrite('doc')).toThrow(TypeError);
    expect(() => one.holdfast.readWrite('doc')).toThrow(
      /read-write lock "doc": needs one server .*cannot be had over a quorum; use lock\(\) or semaphore\(\)/,
    );
    expect(() => one.holdfast.readWrite('')).toThrow(/name: expected a non-empty string/);
  });
});

describe('servers that cannot be used', () => {
  it('all down: a QuorumError within the deadline names each with its own reason', async () => {
    const ports = await Promise.all([freePort(), freePort(), freePort()]);
    await using one = await openQuorum(
      ports.map((port) => ({ port })),
      { commandTimeoutMs: DEADLINE_MS },
    );
    for (const use of [
      () => one.holdfast.lock('down').tryAcquire(),
      () => one.holdfast.lock('down').acquire({ waitMs: DEADLINE_MS }),
      () => one.holdfast.inspect('down'),
    ]) {
      const { error, ms } = await failureOf(use());
      expect(error).toBeInstanceOf(QuorumError);
      expect(error).toMatchObject({ code: 'HOLDFAST_QUORUM', majority: 2, lockName: 'down' });
      const { votes } = error as QuorumError;
      expect(votes.map(({ node }) => node)).toEqual(
        ports.map((port, i) => `node ${i + 1} (ioredis, 127.0.0.1:${port})`),
      );
      for (const { vote, reason } of votes) {
        expect(vote).toBe('none');
        expect(reason).toMatchObject({ code: 'HOLDFAST_CONNECTION' });
      }
      for (const port of ports) expect(error.message).toContain(String(port));
      expect(ms).toBeLessThan(DEADLINE_MS + GRACE_MS);
    }
  });

  it.each(['ioredis 5', 'ioredis 6'] as const)(
    '%s: a wrong password at one node does no harm, at two it is told',
    async (kind) => {
      await using closed = new Nodes(
        await Promise.all([0, 1, 2].map(() => startServer({ password: PASSWORD }))),
      );
      const right = closed.servers.map(({ port }) => ({ port, password: PASSWORD }));
      const wrong = right.map(({ port }) => ({ port, password: `not-${PASSWORD}` }));
      const of = (flags: readonly boolean[]) =>
        flags.map((isRight, i) => (isRight ? right : wrong)[i] ?? { port: 0 });

      await using one = await openQuorum(of([true, false, true]), { kind });
      const name = freshName();
      const lease = await one.holdfast.lock(name).acquire();
      expect(await lease.renew()).toBe('renewed');
      expect(await lease.release()).toBe('released');

      await using two = await openQuorum(of([false, true, false]), { kind, commandTimeoutMs: DEADLINE_MS });
      const { error, ms } = await failureOf(two.holdfast.lock(name).tryAcquire());
      expect(error).toBeInstanceOf(QuorumError);
      expect((error as QuorumError).votes.map(({ reason }) => reason?.message ?? '')).toEqual([
        expect.stringMatching(/password/),
        '',
        expect.stringMatching(/password/),
      ]);
      expect(ms).toBeLessThan(DEADLINE_MS + GRACE_MS);
      expectNoSecrets(error, PASSWORD);
      await closed.nothingLeft(name);
    },
  );

  it('an error that names votes and reasons shows no holderId', async () => {
    await using one = await openQuorum(
      [...addresses(0), { port: await freePort() }, { port: await freePort() }],
      {
        commandTimeoutMs: DEADLINE_MS,
      },
    );
    expectNoSecrets((await failureOf(one.holdfast.lock(freshName()).tryAcquire())).error);
  });
});

describe('a number of servers that is not sensible', () => {
  const warningsOf = async (count: number) => {
    await using one = await openQuorum(addresses(...Array(count).keys()));
    const warnings: HoldfastEvents['warning'][] = [];
    one.holdfast.on('warning', (warning) => warnings.push(warning));
    for (const name of [freshName(), freshName()]) await one.holdfast.lock(name).use(() => {});
    await one.holdfast.close();
    return warnings;
  };

  it.each([
    [2, /a quorum of two stops when one of them does/],
    [4, /a quorum of 4 bears no more failures than one of 3/],
  ])('%i: one warning says so', async (count, message) => {
    expect(await warningsOf(count)).toEqual([
      { code: 'HOLDFAST_QUORUM_SIZE', message: expect.stringMatching(message) },
    ]);
  });

  it('3, and a list of one, are fine', async () => {
    expect(await warningsOf(3)).toEqual([]);
    expect(await warningsOf(1)).toEqual([]);
  });

  it('without a listener it is a warning of the process', async () => {
    const warned = once(process, 'warning');
    await using one = await openQuorum(addresses(0, 1));
    await one.holdfast.lock(freshName()).use(() => {});
    expect((await warned)[0]).toMatchObject({ name: 'HoldfastWarning', code: 'HOLDFAST_QUORUM_SIZE' });
  });
});
