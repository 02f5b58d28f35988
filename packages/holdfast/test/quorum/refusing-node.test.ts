/** One node of three refuses, and does so before the others answer: their majority decides, as it does without it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../../testkit/src/index.ts';
import { fenceKey, freshName, Nodes, type Peer } from './support/nodes.ts';
import { failureOf, took } from './support/outcomes.ts';

/** Long enough that the refusal is there first. */
const OTHERS_MS = 15;
const PROMPT_MS = 600;

let nodes: Nodes;
let far: Peer;
let near: Peer;
beforeAll(async () => {
  nodes = await Nodes.start(3);
  far = await nodes.openFar();
  near = await nodes.open();
  for (const way of far.ways.slice(1)) way.delay({ upMs: OTHERS_MS });
});
afterAll(async () => {
  await far[Symbol.asyncDispose]();
  await near[Symbol.asyncDispose]();
  await nodes[Symbol.asyncDispose]();
});

/** From the first node, for this name. */
async function refuse(what: 'OOM' | 'WRONGTYPE', name: string): Promise<void> {
  if (what === 'OOM') await nodes.server(0).command('CONFIG', 'SET', 'maxmemory', 1);
  else await nodes.server(0).command('LPUSH', name, 'something else');
}

async function relent(name: string): Promise<void> {
  await nodes.server(0).pipeline([
    ['CONFIG', 'SET', 'maxmemory', 0],
    ['DEL', name],
  ]);
}

describe.each(['OOM', 'WRONGTYPE'] as const)('with %s', (what) => {
  it('a lock that another holds is busy, at once', async () => {
    const name = freshName();
    await refuse(what, name);
    const held = await near.holdfast.lock(name).acquire();
    const { value, ms } = await took(far.holdfast.lock(name).tryAcquire());
    expect(value).toBeUndefined();
    expect(ms).toBeLessThan(PROMPT_MS);
    expect(await held.release()).toBe('released');
    await relent(name);
    await nodes.nothingLeft(name);
  });

  it('a waiter waits, and gets it from the release', async () => {
    const name = freshName();
    await refuse(what, name);
    const held = await near.holdfast.lock(name, { ttlMs: 60_000 }).acquire();
    const waiting = far.holdfast.lock(name).acquire({ waitMs: 10_000 });
    await eventually(async () => (await nodes.queues(name)).slice(1).every((count) => count === 1));
    const { value } = await took(Promise.all([held.release(), took(waiting)]));
    expect(value[0]).toBe('released');
    expect(value[1].ms).toBeLessThan(PROMPT_MS);
    expect(await value[1].value.release()).toBe('released');
    await relent(name);
    await nodes.nothingLeft(name);
  });

  it('a lease is renewed; when the others have lost it that is told as its loss', async () => {
    const name = freshName();
    const lease = await far.holdfast.lock(name, { ttlMs: 60_000 }).acquire();
    await nodes.server(0).command('DEL', name);
    await refuse(what, name);
    expect(await lease.renew()).toBe('renewed');
    await Promise.all([1, 2].map((i) => nodes.server(i).command('DEL', name)));
    const { value, ms } = await took(lease.renew());
    expect(value).toBe('lost');
    expect(lease.lost?.reason).toBe('lost');
    expect(ms).toBeLessThan(PROMPT_MS);
    await relent(name);
    await nodes.nothingLeft(name);
  });

  it('the release of a lease that has ended says "expired"', async () => {
    const name = freshName();
    const lease = await far.holdfast.lock(name, { ttlMs: 50, renew: false }).acquire();
    await eventually(() => lease.lost?.reason === 'expired');
    await eventually(async () => (await nodes.values(name)).every((value) => value === null));
    await refuse(what, name);
    expect(await lease.release()).toBe('expired');
    await relent(name);
  });
});

it('what a majority refuses is told with its reason, and the third gives back what it gave', async () => {
  const name = freshName();
  for (const i of [0, 1]) await nodes.server(i).command('LPUSH', name, 'something else');
  expect((await failureOf(near.holdfast.lock(name).tryAcquire())).error).toMatchObject({
    name: 'WrongTypeError',
    found: 'list',
  });
  await eventually(async () => (await nodes.server(2).command('EXISTS', name)) === 0);
  for (const i of [0, 1]) await nodes.server(i).command('DEL', name);

  for (const i of [0, 1]) await nodes.server(i).command('CONFIG', 'SET', 'maxmemory', 1);
  const { error, ms } = await failureOf(near.holdfast.lock(name).tryAcquire());
  expect(error).toMatchObject({ name: 'QuorumError' });
  expect(error.message).toMatch(/out of memory.*out of memory/);
  expect(ms).toBeLessThan(PROMPT_MS);
  for (const i of [0, 1]) await nodes.server(i).command('CONFIG', 'SET', 'maxmemory', 0);
  await nodes.nothingLeft(name);
});

it('a client that was closed is one node less', async () => {
  const name = freshName();
  await using three = await nodes.open();
  await using closed = await nodes.open();
  await closed.leave(0);
  const held = await three.holdfast.lock(name).acquire();
  expect(await closed.holdfast.lock(name).tryAcquire()).toBeUndefined();
  await held.release();
  const lease = await closed.holdfast.lock(name).acquire();
  expect(await nodes.values(name)).toEqual([null, lease.holderId, lease.holderId]);
  expect(await nodes.each('EXISTS', fenceKey(name))).toEqual([1, 1, 1]);
  expect(await lease.release()).toBe('released');
  await nodes.nothingLeft(name);
});
