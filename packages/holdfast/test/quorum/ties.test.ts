/**
 * Many want one name at the same moment, of an even number of nodes too, where half and half is a tie: one gets it, and nobody waits
 * for long [30].
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshName, Nodes, type Peer } from './support/nodes.ts';
import { took } from './support/outcomes.ts';

const PEERS = 6;
const ROUNDS = 30;
const TURNS_EACH = 12;

describe.each([2, 3, 4])('on %i nodes', (count) => {
  let nodes: Nodes;
  let peers: Peer[];
  beforeAll(async () => {
    nodes = await Nodes.start(count);
    peers = await Promise.all(Array.from({ length: PEERS }, () => nodes.open({ ttlMs: 60_000 })));
  });
  afterAll(async () => {
    await Promise.all(peers.map((peer) => peer[Symbol.asyncDispose]()));
    await nodes[Symbol.asyncDispose]();
  });

  it(`of ${PEERS} that try at once never two get it, and nearly always one`, async () => {
    const winners: number[] = [];
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const name = freshName('tie');
      const tries = peers.map(({ holdfast }) => holdfast.lock(name).tryAcquire());
      const { value, ms } = await took(Promise.all(tries));
      const leases = value.filter((lease) => lease !== undefined);
      winners.push(leases.length);
      times.push(ms);
      for (const lease of leases) expect(await lease.release()).toBe('released');
      await nodes.nothingLeft(name);
    }
    expect(Math.max(...winners)).toBe(1);
    expect(winners.filter((won) => won === 0).length).toBeLessThanOrEqual(ROUNDS / 10);
    // Half of them settle in a round or two; the worst is far from the deadline of a command.
    expect(times.sort((a, b) => a - b)[ROUNDS / 2]).toBeLessThan(150);
    expect(times.at(-1)).toBeLessThan(1_500);
  });

  it(`${PEERS} that take it ${TURNS_EACH} times each are all served, one at a time`, async () => {
    const name = freshName('turns');
    const tokens: number[] = [];
    let holders = 0;
    const takeTurns = async ({ holdfast }: Peer) => {
      const lock = holdfast.lock(name);
      for (let i = 0; i < TURNS_EACH; i++) {
        const lease = await lock.acquire({ waitMs: 10_000 });
        expect(++holders).toBe(1);
        tokens.push(lease.fencingToken);
        await new Promise(setImmediate);
        holders--;
        expect(await lease.release()).toBe('released');
      }
    };
    const { ms } = await took(Promise.all(peers.map(takeTurns)));
    expect(ms).toBeLessThan(10_000);
    expect(tokens).toHaveLength(PEERS * TURNS_EACH);
    expect(tokens).toEqual([...new Set(tokens)].sort((a, b) => a - b));
    await nodes.nothingLeft(name);
  });

  it('those who only try, again and again, get through beside those who wait', async () => {
    const name = freshName('mixed');
    let holders = 0;
    const hold = async (release: () => Promise<unknown>) => {
      expect(++holders).toBe(1);
      await new Promise(setImmediate);
      holders--;
      await release();
    };
    const waiter = async ({ holdfast }: Peer) => {
      for (let i = 0; i < TURNS_EACH; i++) {
        const lease = await holdfast.lock(name).acquire({ waitMs: 10_000 });
        await hold(() => lease.release());
      }
    };
    const trier = async ({ holdfast }: Peer) => {
      for (let i = 0; i < TURNS_EACH; ) {
        const lease = await holdfast.lock(name).tryAcquire();
        if (lease === undefined) continue;
        await hold(() => lease.release());
        i++;
      }
    };
    const { ms } = await took(
      Promise.all(peers.map((peer, i) => (i % 2 === 0 ? waiter(peer) : trier(peer)))),
    );
    expect(ms).toBeLessThan(10_000);
    await nodes.nothingLeft(name);
  });
});

/** A tie that is sure: each of two has one half of the nodes before it hears of the other half. */
describe('a made tie', () => {
  it.each([2, 4])('on %i nodes settles in a round or two', async (count) => {
    await using nodes = await Nodes.start(count);
    await using left = await nodes.openFar();
    await using right = await nodes.openFar();
    const half = count / 2;
    for (let round = 0; round < 10; round++) {
      const name = freshName('made');
      for (let i = 0; i < count; i++) {
        left.ways[i]?.delay({ upMs: i < half ? 0 : 25 });
        right.ways[i]?.delay({ upMs: i < half ? 25 : 0 });
      }
      const tries = [left, right].map(({ holdfast }) => holdfast.lock(name).acquire({ waitMs: 5_000 }));
      const { value: first, ms } = await took(Promise.race(tries));
      expect(ms).toBeLessThan(1_000);
      expect(await first.release()).toBe('released');
      for (const lease of await Promise.all(tries)) await lease.release();
      await nodes.nothingLeft(name);
    }
  });
});
