/** A lease lives as long as a majority renews it; its holder is told in time when none does [3, 6]. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { aborted, eventually } from '../../../testkit/src/index.ts';
import { type HoldfastEventName, type Lease, LeaseLostError, QuorumError } from '../../src/index.ts';
import { freshName, Nodes, type Peer } from './support/nodes.ts';
import { failureOf, took } from './support/outcomes.ts';

const TTL_MS = 900;
const DEADLINE_MS = 600;

let nodes: Nodes;
let far: Peer;
let near: Peer;
let lease: Lease;
let askedAt: number;
/** Of `far`, since the lease began. */
let seen: HoldfastEventName[];
beforeAll(async () => {
  nodes = await Nodes.start(3);
  near = await nodes.open();
});
afterAll(async () => {
  await near[Symbol.asyncDispose]();
  await nodes[Symbol.asyncDispose]();
});
beforeEach(async () => {
  far = await nodes.openFar({ ttlMs: TTL_MS, commandTimeoutMs: DEADLINE_MS });
  seen = [];
  for (const name of ['renewed', 'renewalUnknown', 'lost'] as const)
    far.holdfast.on(name, () => seen.push(name));
  askedAt = performance.now();
  lease = await far.holdfast.lock(freshName()).acquire();
  return () => far[Symbol.asyncDispose]();
});

const everywhere = () =>
  eventually(async () => (await nodes.values(lease.name)).every((value) => value === lease.holderId));
const count = (name: HoldfastEventName) => seen.filter((one) => one === name).length;

describe('a majority that has lost it', () => {
  it.each([
    ['deleted', ['DEL']],
    ['taken by force', ['SET', 'another']],
  ])('%s: the signal aborts with "lost" at the next renewal', async (_, [command = '', ...value]) => {
    await everywhere();
    const from = performance.now();
    for (const i of [0, 1]) await nodes.server(i).command(command, lease.name, ...value);
    await aborted(lease.signal);
    expect(performance.now() - from).toBeLessThan(TTL_MS);
    expect(lease.signal.reason).toBeInstanceOf(LeaseLostError);
    expect(lease.signal.reason).toMatchObject({ reason: 'lost', lockName: lease.name });
    expect(count('lost')).toBe(1);
    expect(await lease.release()).toBe('lost');
    for (const i of [0, 1]) await nodes.server(i).command('DEL', lease.name);
    await nodes.nothingLeft(lease.name, TTL_MS / 2);
  });

  it('as seen by those who answer, while the third does not', async () => {
    await everywhere();
    far.ways[2]?.silence('both');
    for (const i of [0, 1]) await nodes.server(i).command('DEL', lease.name);
    await aborted(lease.signal);
    expect(lease.lost?.reason).toBe('lost');
    expect(performance.now() - askedAt).toBeLessThan(TTL_MS);
  });
});

describe('a majority that cannot be reached', () => {
  it('is told as unknown, until the validity ends the lease, and not later', async () => {
    for (const i of [0, 1]) far.ways[i]?.silence('both');
    const until = performance.now() + lease.remainingMs();
    expect(until).toBeLessThan(askedAt + TTL_MS + 20);
    await aborted(lease.signal);
    expect(performance.now()).toBeLessThan(until + 25);
    expect(lease.signal.reason).toMatchObject({ reason: 'expired' });
    expect(count('renewalUnknown')).toBeGreaterThan(0);
    expect(seen.at(-1)).toBe('lost');
    expect(count('lost')).toBe(1);
  });

  it('and comes back in time has not ended it', async () => {
    for (const i of [0, 1]) far.ways[i]?.silence('both');
    await eventually(() => count('renewalUnknown') > 0);
    for (const way of far.ways) way.heal();
    await eventually(() => count('renewed') > 1);
    expect(lease.signal.aborted).toBe(false);
    expect(await near.holdfast.lock(lease.name).tryAcquire()).toBeUndefined();
    expect(await lease.release()).toBe('released');
    await nodes.nothingLeft(lease.name, TTL_MS / 2);
  });

  it('fails the release in time, with what each node said; what was not released ends by itself', async () => {
    for (const i of [0, 1]) far.ways[i]?.silence('up', 'drop');
    const { error, ms } = await failureOf(lease.release());
    expect(error).toBeInstanceOf(QuorumError);
    expect((error as QuorumError).votes[2]).toMatchObject({ vote: 'released', reason: undefined });
    expect(ms).toBeLessThan(DEADLINE_MS + 400);
    await nodes.nothingLeft(lease.name, 2 * TTL_MS);
  });
});

describe('one node that cannot be reached', () => {
  it.each([0, 1, 2])('number %i: the lease is renewed for several ttls, and released', async (node) => {
    far.ways[node]?.silence('both');
    await eventually(() => count('renewed') > 6, { withinMs: 4 * TTL_MS });
    expect(count('renewalUnknown')).toBe(0);
    expect(await near.holdfast.lock(lease.name).tryAcquire()).toBeUndefined();
    const { value, ms } = await took(lease.release());
    expect(value).toBe('released');
    expect(ms).toBeLessThan(200);
    // What is renewed at the others ends there as well, and at that one by itself.
    await nodes.nothingLeft(lease.name, 2 * TTL_MS);
  });
});

describe('time that answers take', () => {
  it('counts against the validity, from before the request', async () => {
    const ttlMs = 10_000;
    const name = freshName();
    for (const way of far.ways) way.delay({ downMs: 150 });
    const slow = await far.holdfast.lock(name, { ttlMs }).acquire();
    expect(slow.remainingMs()).toBeLessThan(ttlMs - 150);
    expect(await slow.renew()).toBe('renewed');
    expect(slow.remainingMs()).toBeLessThan(ttlMs - 150);
    // The majority's: one that answers sooner does not count.
    far.ways[0]?.delay({});
    expect(await slow.renew()).toBe('renewed');
    expect(slow.remainingMs()).toBeLessThan(ttlMs - 150);
    expect(await slow.release()).toBe('released');
    await nodes.nothingLeft(name);
  });

  it('longer than the lease lasts gives no lease', async () => {
    const name = freshName();
    for (const way of far.ways) way.delay({ upMs: 60, downMs: 60 });
    const got = await far.holdfast
      .lock(name, { ttlMs: 100, renew: false })
      .tryAcquire()
      .catch((error: unknown) => error);
    if (got !== undefined) expect(got).toBeInstanceOf(QuorumError);
    await nodes.nothingLeft(name);
  });
});
