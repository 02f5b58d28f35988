/** One node of three does not answer: stopped, or out of reach. It delays nobody, but once whoever has to notice it [31]. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freshName, Nodes, openQuorum, type Peer } from './support/nodes.ts';
import { took } from './support/outcomes.ts';

const TURNS = 30;
/** The node's deadline; whoever waited for it more than once would be far above. */
const NODE_MS = 1_000;

let nodes: Nodes;
let peers: Peer[];
beforeEach(async () => {
  nodes = await Nodes.start(3);
  peers = await Promise.all([0, 1].map(() => nodes.openFar({ ttlMs: 60_000 })));
});
afterEach(async () => {
  for (const server of nodes.servers) server.cont();
  await Promise.all(peers.map((peer) => peer[Symbol.asyncDispose]()));
  await nodes[Symbol.asyncDispose]();
});

const HOW: Record<string, (node: number) => void> = {
  'a stopped server': (node) => nodes.server(node).stop(),
  'a black hole': (node) => {
    for (const { ways } of peers) ways[node]?.silence('both');
  },
};

const median = (times: readonly number[]) =>
  [...times].sort((a, b) => a - b)[times.length >> 1] ?? Number.NaN;

/** How long each of several turns takes. */
async function turns({ holdfast }: Peer, name: string, count = TURNS): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    const turn = async () => (await holdfast.lock(name).acquire({ waitMs: 20_000 })).release();
    const { value, ms } = await took(turn());
    expect(value).toBe('released');
    times.push(ms);
  }
  return times;
}

describe.each(Object.keys(HOW))('%s', (how) => {
  const [one, two] = [() => peers[0] as Peer, () => peers[1] as Peer];

  it.each([0, 2])('as node %i: acquire and release take about as long as before', async (node) => {
    const before = median(await turns(one(), freshName()));
    HOW[how]?.(node);
    const times = await turns(one(), freshName());
    expect(Math.max(...times.slice(1))).toBeLessThan(NODE_MS);
    expect(median(times)).toBeLessThan(10 * before + 30);
  });

  it('two contenders settle, and neither waits for the node again and again', async () => {
    const name = freshName();
    HOW[how]?.(1);
    const both = await Promise.all([turns(one(), name), turns(two(), name)]);
    for (const times of both) {
      expect(times.filter((ms) => ms > NODE_MS / 2).length).toBeLessThanOrEqual(3);
      expect(median(times)).toBeLessThan(250);
    }
  });

  it('a held lock is busy at once, a waiter is handed it, and it can be inspected', async () => {
    const name = freshName();
    HOW[how]?.(0);
    const held = await one().holdfast.lock(name).acquire();
    await two().holdfast.inspect(name);
    const busy = await took(two().holdfast.lock(name).tryAcquire());
    expect(busy.value).toBeUndefined();
    expect(busy.ms).toBeLessThan(NODE_MS / 2);
    const seen = await took(two().holdfast.inspect(name));
    expect(seen.value).toMatchObject({ state: 'held', fencingToken: held.fencingToken });
    expect(seen.ms).toBeLessThan(NODE_MS / 2);
    const waiting = two().holdfast.lock(name).acquire({ waitMs: 20_000 });
    await expect.poll(async () => (await one().holdfast.inspect(name)).queueLength).toBe(1);
    const { ms } = await took(Promise.all([held.release(), waiting]));
    expect(ms).toBeLessThan(NODE_MS / 2);
    const lease = await waiting;
    expect((await took(lease.renew())).ms).toBeLessThan(NODE_MS / 2);
    expect(await lease.release()).toBe('released');
  });

  it('counts again when it is back: then another may be gone', async () => {
    const name = freshName();
    HOW[how]?.(1);
    await turns(one(), name, 3);
    nodes.server(1).cont();
    for (const { ways } of peers) ways[1]?.heal();
    await turns(one(), name, 3);
    await nodes.server(2).kill9();
    const times = await turns(one(), name, 10);
    expect(median(times)).toBeLessThan(250);
  });
});

it('a process that starts meanwhile is not held up either', async () => {
  nodes.server(1).stop();
  const name = freshName();
  await using late = await openQuorum(nodes.servers, { commandTimeoutMs: 800 });
  const times = await turns(late, name, 10);
  expect(times[0]).toBeLessThan(NODE_MS);
  expect(median(times)).toBeLessThan(250);
});

it('where all are silent at first use, the acquire goes on asking until one half and one more are back', async () => {
  for (const server of nodes.servers) server.stop();
  const name = freshName();
  await using early = await openQuorum(nodes.servers);
  const asked = early.holdfast.lock(name).acquire({ waitMs: 15_000 });
  // Longer than the deadline of a node: the first question has failed by then.
  setTimeout(() => [0, 2].forEach((node) => void nodes.server(node).cont()), NODE_MS + 300);
  expect(await (await asked).release()).toBe('released');
});
