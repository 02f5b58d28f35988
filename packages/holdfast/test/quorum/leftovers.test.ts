/**
 * Whoever gives up, or is done, leaves nothing at any node, however late some of its messages come: no key and no place in a queue.
 * The leases here would last a minute [12, 13, 31, 32].
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually, type TcpProxy } from '../../../testkit/src/index.ts';
import { AcquireTimeoutError } from '../../src/index.ts';
import { scripts } from '../../src/lua/generated.ts';
import { freshName, Nodes, type Peer } from './support/nodes.ts';
import { failureOf } from './support/outcomes.ts';

const OPTIONS = { ttlMs: 60_000, waitMs: 10_000 } as const;

let nodes: Nodes;
let far: Peer;
let near: Peer;
/** Of `far`, to the third node. */
let third: TcpProxy;
let name: string;
beforeAll(async () => {
  nodes = await Nodes.start(3);
  far = await nodes.openFar(OPTIONS);
  near = await nodes.open(OPTIONS);
  third = far.ways[2] as TcpProxy;
});
beforeEach(() => {
  name = freshName();
});
afterAll(async () => {
  await far[Symbol.asyncDispose]();
  await near[Symbol.asyncDispose]();
  await nodes[Symbol.asyncDispose]();
});

const forgetScripts = () => nodes.server(2).command('SCRIPT', 'FLUSH');
const waitingAt = (...counts: number[]) =>
  eventually(async () => String(await nodes.queues(name)) === String(counts), { what: `${counts} wait` });

it('a node whose votes are late is sent one release for each lease, not two', async () => {
  const [, , slow] = nodes.servers;
  const calls = async () =>
    Number(/cmdstat_evalsha:calls=(\d+)/.exec(String(await slow?.command('INFO', 'commandstats')))?.[1]);
  // The nodes know the lock afterwards, and are asked by plain commands.
  await far.holdfast.lock(name).use(() => far.holdfast.inspect(name));
  third.delay({ downMs: 30 });
  const before = await calls();
  for (let i = 0; i < 5; i++) await (await far.holdfast.lock(name).acquire()).release();
  // All that was sent because of an answer that came before its own is at the node when the second has been answered.
  for (let i = 0; i < 2; i++) await far.holdfast.inspect(name);
  third.delay({});
  expect((await calls()) - before).toBe(5 + 2);
  await nodes.nothingLeft(name);
});

describe.each([
  ['that knows the script', async () => {}],
  ['that has forgotten the script, so that it is sent twice', forgetScripts],
] as const)('a node %s and hears late', (_, before) => {
  it('of a vote, when the lease is released already', async () => {
    third.silence('up');
    const lease = await far.holdfast.lock(name).acquire();
    expect(await lease.release()).toBe('released');
    await before();
    third.heal();
    await nodes.nothingLeft(name);
  });

  it('of a vote, when the try has failed already', async () => {
    const held = await near.holdfast.lock(name).acquire();
    await nodes.server(2).command('DEL', name);
    third.silence('up');
    expect(await far.holdfast.lock(name).tryAcquire()).toBeUndefined();
    await before();
    third.heal();
    expect(await held.release()).toBe('released');
    await nodes.nothingLeft(name);
  });

  it('of a vote of a waiter, when that has given up', async () => {
    const held = await near.holdfast.lock(name).acquire();
    await nodes.server(2).command('DEL', name);
    third.silence('up');
    const { error } = await failureOf(far.holdfast.lock(name).acquire({ waitMs: 100 }));
    expect(error).toBeInstanceOf(AcquireTimeoutError);
    await before();
    third.heal();
    expect(await held.release()).toBe('released');
    await nodes.nothingLeft(name);
  });

  it('that it has lost a lease, when that is released already', async () => {
    const lease = await far.holdfast.lock(name).acquire();
    await eventually(async () => (await nodes.values(name)).every(Boolean));
    await nodes.server(2).command('DEL', name);
    await before();
    third.delay({ downMs: 60 });
    expect(await lease.renew()).toBe('renewed');
    expect(await lease.release()).toBe('released');
    third.delay({});
    // Its top-up, if it sends one, is a message or two behind the renewal.
    await eventually(async () => (await far.holdfast.inspect(name)).state === 'free');
    await new Promise((resolve) => setTimeout(resolve, 200));
    await nodes.nothingLeft(name);
  });

  it('that it is given a lease back, when that is released at the same time', async () => {
    const lease = await far.holdfast.lock(name).acquire();
    await eventually(async () => (await nodes.values(name)).every(Boolean));
    await nodes.server(2).command('DEL', name);
    await before();
    expect(await lease.renew()).toBe('renewed');
    expect(await lease.release()).toBe('released');
    await new Promise((resolve) => setTimeout(resolve, 100));
    await nodes.nothingLeft(name);
  });
});

describe('whoever gives up', () => {
  it('while all nodes have it in their queues leaves all of them', async () => {
    const held = await near.holdfast.lock(name).acquire();
    const abort = new AbortController();
    const waiting = failureOf(far.holdfast.lock(name).acquire({ signal: abort.signal }));
    await waitingAt(1, 1, 1);
    abort.abort();
    expect((await waiting).error.name).toBe('AbortError');
    expect(await nodes.queues(name)).toEqual([0, 0, 0]);
    await held.release();
    await nodes.nothingLeft(name);
  });

  it('while its vote is under way, at a node that would give it, leaves no place and no key', async () => {
    // The first node is somebody else's, the second is free, the third answers late: the attempt is open.
    await nodes.server(0).command('SET', name, 'foreign');
    third.silence('up');
    const abort = new AbortController();
    const waiting = failureOf(far.holdfast.lock(name).acquire({ signal: abort.signal }));
    await eventually(async () => Boolean((await nodes.values(name))[1]));
    abort.abort();
    expect((await waiting).error.name).toBe('AbortError');
    await nodes.server(2).command('SET', name, 'foreign');
    third.heal();
    await eventually(
      async () => third.stats.open > 0 && (await far.holdfast.inspect(name)).queueLength === 0,
    );
    for (const i of [0, 2]) await nodes.server(i).command('DEL', name);
    await nodes.nothingLeft(name);
  });

  it('while a node is sent a retraction for the second time leaves no place', async () => {
    const second = far.ways[1] as TcpProxy;
    const unknown = async () =>
      /errorstat_NOSCRIPT:count=(\d+)/.exec(String(await nodes.server(1).command('INFO', 'errorstats')))?.[1];
    for (const i of [0, 2]) await nodes.server(i).command('SET', name, 'foreign');
    third.delay({ upMs: 80 });
    const before = await unknown();
    const abort = new AbortController();
    const waiting = failureOf(far.holdfast.lock(name).acquire({ signal: abort.signal }));
    // It waits: the second node has voted for it, the third will not, a little later.
    await eventually(
      async () => (await nodes.queues(name))[0] === 1 && Boolean((await nodes.values(name))[1]),
      { everyMs: 1 },
    );
    const others = Object.values(scripts).filter((script) => script !== scripts.retract);
    const load = others.map(({ body }) => ['SCRIPT', 'LOAD', body]);
    await nodes.server(1).pipeline([['SCRIPT', 'FLUSH'], ...load]);
    second.delay({ downMs: 100 });
    await eventually(async () => (await unknown()) !== before, { everyMs: 1 });
    abort.abort();
    expect((await waiting).error.name).toBe('AbortError');
    second.delay({});
    third.delay({});
    for (const i of [0, 2]) await nodes.server(i).command('DEL', name);
    // The answer that it does not know the script, and the script.
    await new Promise((resolve) => setTimeout(resolve, 250));
    await nodes.nothingLeft(name);
  });

  it('a try that is called off gives back what it gets', async () => {
    for (const way of far.ways) way.silence('down');
    const abort = new AbortController();
    const trying = failureOf(far.holdfast.lock(name).tryAcquire({ signal: abort.signal }));
    await eventually(async () => (await nodes.values(name)).every(Boolean));
    abort.abort();
    expect((await trying).error.name).toBe('AbortError');
    for (const way of far.ways) way.heal();
    await nodes.nothingLeft(name);
  });

  it('a process that closes while it waits and holds leaves nothing', async () => {
    await using other = await nodes.openFar(OPTIONS);
    await other.holdfast.lock(name).acquire();
    const waiting = failureOf(other.holdfast.lock(name).acquire());
    await waitingAt(1, 1, 1);
    await other.holdfast.close();
    expect((await waiting).error.name).toBe('ClosedError');
    await nodes.nothingLeft(name);
  });
});

it('a waiter that was granted by two nodes is in the queue of none after its release', async () => {
  const held = await near.holdfast.lock(name).acquire();
  const waiting = far.holdfast.lock(name).acquire();
  await waitingAt(1, 1, 1);
  third.silence('both');
  await nodes.server(2).command('DEL', name);
  await held.release();
  expect(await (await waiting).release()).toBe('released');
  third.heal();
  await nodes.nothingLeft(name);
});

it('a node that gives something to a waiter that has released already gets it back at once', async () => {
  const held = await near.holdfast.lock(name).acquire();
  const waiting = far.holdfast.lock(name).acquire();
  await waitingAt(1, 1, 1);
  const queue = `holdfast:{${name}}:queue:`;
  const [member = ''] = (await nodes.server(0).command('ZRANGE', queue, '0', '0')) as string[];
  await held.release();
  expect(await (await waiting).release()).toBe('released');
  await nodes.nothingLeft(name);
  const next = await near.holdfast.lock(name).acquire();
  // As a message that was late would have put it back.
  await nodes.server(0).command('ZADD', queue, '1', member);
  await next.release();
  // Less than the three seconds that the node would keep the lock for it.
  await nodes.nothingLeft(name, 1_500);
});

it('a crowd of waits, short waits, tries and calls that are called off, over ways of any delay, leaves nothing', async () => {
  const peers = await Promise.all(Array.from({ length: 4 }, () => nodes.openFar(OPTIONS)));
  const below = (n: number) => Math.floor(Math.random() * n);
  let grants = 0;
  const act = async ({ holdfast, ways }: Peer, round: string) => {
    const lock = holdfast.lock(round);
    for (const way of ways) way.delay({ upMs: below(4), downMs: below(4) });
    const signal = AbortSignal.timeout(1 + below(30));
    const ask = [
      () => lock.acquire(),
      () => lock.acquire({ waitMs: below(30) }),
      () => lock.acquire({ signal }),
      () => lock.tryAcquire({ signal }),
      () => lock.tryAcquire(),
    ][below(5)];
    const lease = await ask?.().catch((error: Error): undefined => {
      // The last two where the first answer was not there in time.
      expect(error.name, error.message).toMatch(/^(AcquireTimeout|Timeout|Quorum|Connection)Error$/);
    });
    if (lease === undefined) return;
    grants++;
    await new Promise((resolve) => setTimeout(resolve, below(8)));
    expect(await lease.release()).toBe('released');
  };
  for (let i = 0; i < 40; i++) {
    const round = freshName('crowd');
    await Promise.all(peers.flatMap((peer) => [act(peer, round), act(peer, round), act(peer, round)]));
    await nodes.nothingLeft(round, 2_000);
  }
  expect(grants).toBeGreaterThan(80);
  await Promise.all(peers.map((peer) => peer[Symbol.asyncDispose]()));
}, 60_000);
