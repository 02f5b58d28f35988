/** A semaphore over a quorum never has more holders than its limit, whatever the order of messages. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SemaphoreLease } from '../../src/index.ts';
import { freshName, Nodes, type Peer } from './support/nodes.ts';

const LIMIT = 10;
const TRIERS = 24;
const ROUNDS = 300;

/** What is held now, by the holders' own belief; each slot once. */
class Held {
  readonly slots = new Map<number, number>();
  most = 0;

  enter({ slots }: SemaphoreLease): void {
    for (const { slot, fencingToken } of slots) {
      expect(this.slots.has(slot), `slot ${slot} twice`).toBe(false);
      this.slots.set(slot, fencingToken);
    }
    this.most = Math.max(this.most, this.slots.size);
  }

  leave({ slots }: SemaphoreLease): void {
    for (const { slot } of slots) this.slots.delete(slot);
  }
}

describe('a semaphore over three nodes', () => {
  let nodes: Nodes;
  let peers: Peer[];

  beforeAll(async () => {
    nodes = await Nodes.start();
    peers = await Promise.all([nodes.openFar(), nodes.openFar(), nodes.openFar()]);
  }, 60_000);
  afterAll(async () => {
    await Promise.all(peers.map((peer) => peer[Symbol.asyncDispose]()));
    await nodes[Symbol.asyncDispose]();
  });

  function shake(): void {
    for (const way of peers.flatMap(({ ways }) => ways))
      way.delay({ upMs: Math.random() * 4, downMs: Math.random() * 4 });
  }

  it(`${ROUNDS} rounds of random delays with limit ${LIMIT} never admit ${LIMIT + 1} [29]`, async () => {
    let fullRounds = 0;
    const last = new Map<number, number>();
    const name = freshName('rounds');
    for (let round = 0; round < ROUNDS; round++) {
      shake();
      const held = new Held();
      const tries = Array.from({ length: TRIERS }, async (_, i) => {
        const peer = peers[i % peers.length] as Peer;
        const lease = await peer.holdfast.semaphore(name, { limit: LIMIT }).tryAcquire(1 + (i % 2));
        if (lease !== undefined) held.enter(lease);
        return lease;
      });
      const leases = (await Promise.all(tries)).filter((lease) => lease !== undefined);
      expect(held.most).toBeLessThanOrEqual(LIMIT);
      if (held.most === LIMIT) fullRounds++;
      for (const [slot, token] of held.slots) {
        expect(token, `slot ${slot}`).toBeGreaterThan(last.get(slot) ?? 0);
        last.set(slot, token);
      }
      for (const lease of leases) held.leave(lease);
      expect(await Promise.all(leases.map((lease) => lease.release()))).toEqual(leases.map(() => 'released'));
    }
    // Else it would say nothing.
    expect(fullRounds).toBeGreaterThan(ROUNDS / 10);
  }, 120_000);

  it('those who wait are all served, and no slot is lost', async () => {
    shake();
    const name = freshName('waiting');
    const held = new Held();
    const one = async (i: number) => {
      const peer = peers[i % peers.length] as Peer;
      const seats = peer.holdfast.semaphore(name, { limit: LIMIT, ttlMs: 5_000 });
      for (let turn = 0; turn < 3; turn++) {
        const lease = await seats.acquire({ permits: 1 + (i % 3), waitMs: 30_000 });
        held.enter(lease);
        await new Promise((resolve) => setTimeout(resolve, i % 5));
        held.leave(lease);
        expect(await lease.release()).toBe('released');
      }
    };
    await Promise.all(Array.from({ length: 30 }, (_, i) => one(i)));
    expect(held.most).toBeLessThanOrEqual(LIMIT);
    const seats = peers[0]?.holdfast.semaphore(name, { limit: LIMIT });
    await expect.poll(() => seats?.inspect(), { timeout: 6_000 }).toMatchObject({ held: 0, queueLength: 0 });
    const all = await seats?.acquire({ permits: LIMIT, waitMs: 10_000 });
    expect(all?.slots).toHaveLength(LIMIT);
    await all?.release();
  }, 60_000);
});
