/**
 * The wall clock of one node of three is wrong: a minority, so nothing depends on it. (One that steps forward under a lease is another
 * matter: what expires at once there is a node that forgets, see restarting.test.ts.)
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../../testkit/src/index.ts';
import { freshName, Nodes, type Peer } from './support/nodes.ts';

const PEERS = 4;
const TURNS_EACH = 75;

describe.each([30_000, -60_000])('one clock at %i ms', (ms) => {
  let nodes: Nodes;
  let peers: Peer[];
  beforeAll(async () => {
    nodes = await Nodes.start(3, { clockShift: true });
    peers = await Promise.all(Array.from({ length: PEERS }, () => nodes.open({ ttlMs: 400 })));
  });
  afterAll(async () => {
    await Promise.all(peers.map((peer) => peer[Symbol.asyncDispose]()));
    await nodes[Symbol.asyncDispose]();
  });

  it('one holds at a time, by renewals too, and tokens grow', async () => {
    const name = freshName();
    await nodes.server(1).shiftClock(ms);
    let holders = 0;
    let renewals = 0;
    const tokens: number[] = [];
    const lost: unknown[] = [];
    for (const { holdfast } of peers) {
      holdfast.on('renewed', () => renewals++);
      holdfast.on('lost', (event) => lost.push(event));
    }
    const takeTurns = async ({ holdfast }: Peer) => {
      for (let i = 0; i < TURNS_EACH; i++) {
        const lease = await holdfast.lock(name).acquire({ waitMs: 20_000 });
        expect(++holders).toBe(1);
        tokens.push(lease.fencingToken);
        const before = renewals;
        if (tokens.length % 40 === 0) await eventually(() => renewals > before + 3, { everyMs: 5 });
        holders--;
        expect(await lease.release()).toBe('released');
      }
    };
    await Promise.all(peers.map(takeTurns));
    expect(tokens).toHaveLength(PEERS * TURNS_EACH);
    expect(tokens).toEqual([...new Set(tokens)].sort((a, b) => a - b));
    expect(lost).toEqual([]);
  }, 60_000);
});
