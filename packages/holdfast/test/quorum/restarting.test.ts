/** Nodes that come back with their data, and without: the one thing that the promise needs of them. */
import { describe, expect, it } from 'vitest';
import { eventually } from '../../../testkit/src/index.ts';
import type { Lease } from '../../src/index.ts';
import { fenceKey, freshName, Nodes } from './support/nodes.ts';

/** No renewal by itself, no expiry while a test runs. */
const LONG = { ttlMs: 120_000 } as const;

/** A node that was not part of its majority is told at a renewal. */
async function heldEverywhere(nodes: Nodes, lease: Lease): Promise<void> {
  const everywhere = async () => {
    expect(await lease.renew()).toBe('renewed');
    return (await nodes.values(lease.name)).every((value) => value === lease.holderId);
  };
  await eventually(everywhere, { what: 'all nodes have the lease' });
}

describe('nodes that keep their data', () => {
  it('may crash and come back, one after the other, under a lease and between leases', async () => {
    await using nodes = await Nodes.start(3, { appendonly: true });
    await using one = await nodes.open(LONG);
    await using two = await nodes.open(LONG);
    const name = freshName();
    let last = 0;
    for (let round = 0; round < 2; round++) {
      const lease = await one.holdfast.lock(name).acquire();
      expect(lease.fencingToken).toBeGreaterThan(last);
      last = lease.fencingToken;
      await heldEverywhere(nodes, lease);
      for (const server of nodes.servers) {
        await server.kill9();
        expect(await two.holdfast.lock(name).tryAcquire()).toBeUndefined();
        await server.start();
        expect(await nodes.values(name)).toEqual([lease.holderId, lease.holderId, lease.holderId]);
        expect(await two.holdfast.lock(name).tryAcquire()).toBeUndefined();
        expect(await lease.renew()).toBe('renewed');
      }
      expect(lease.signal.aborted).toBe(false);
      expect(await lease.release()).toBe('released');
      for (const server of nodes.servers) {
        await server.kill9();
        await server.start();
      }
      await using next = await two.holdfast.lock(name).acquire();
      expect(next.fencingToken).toBeGreaterThan(last);
      last = next.fencingToken;
    }
  }, 60_000);

  it('may all crash at once: the lease is there again', async () => {
    await using nodes = await Nodes.start(3, { appendonly: true });
    await using one = await nodes.open(LONG);
    await using two = await nodes.open(LONG);
    const lease = await one.holdfast.lock(freshName()).acquire();
    await Promise.all(nodes.servers.map((server) => server.kill9()));
    await Promise.all(nodes.servers.map((server) => server.start()));
    await eventually(async () => expect(await lease.renew()).toBe('renewed'));
    expect(await two.holdfast.lock(lease.name).tryAcquire()).toBeUndefined();
    expect(await lease.release()).toBe('released');
  });
});

describe('nodes that forget', () => {
  it('break the promise, as documented: two hold. The tokens still tell who is the later one', async () => {
    await using nodes = await Nodes.start(3);
    await using one = await nodes.openFar(LONG);
    await using two = await nodes.open(LONG);
    const name = freshName();
    // The first holds by two of three; one of these forgets.
    one.ways[2]?.silence('both');
    const first = await one.holdfast.lock(name).acquire();
    expect(await nodes.values(name)).toEqual([first.holderId, first.holderId, null]);
    await nodes.server(1).restart();
    const second = await two.holdfast.lock(name).acquire({ waitMs: 5_000 });
    expect(await nodes.values(name)).toEqual([first.holderId, second.holderId, second.holderId]);
    for (const lease of [first, second]) {
      expect(lease.signal.aborted).toBe(false);
      expect(lease.remainingMs()).toBeGreaterThan(0);
    }
    expect(second.fencingToken).toBeGreaterThan(first.fencingToken);
    // The first finds out as soon as it reaches the third node again.
    one.ways[2]?.heal();
    one.ways[2]?.cut();
    await eventually(async () => expect(await first.renew()).toBe('lost'));
    expect(first.lost?.reason).toBe('lost');
    expect(await first.release()).toBe('lost');
    expect(await second.renew()).toBe('renewed');
    expect(await second.release()).toBe('released');
    await nodes.nothingLeft(name);
  });

  it('are told again at the next renewal, so that one after the other may forget', async () => {
    await using nodes = await Nodes.start(3);
    await using one = await nodes.open(LONG);
    await using two = await nodes.open(LONG);
    const name = freshName();
    const lease = await one.holdfast.lock(name).acquire();
    await heldEverywhere(nodes, lease);
    for (const [i, server] of nodes.servers.entries()) {
      await server.kill9();
      await server.start();
      expect((await nodes.values(name))[i]).toBeNull();
      await heldEverywhere(nodes, lease);
      expect(await server.command('PTTL', name)).toBeGreaterThan(LONG.ttlMs / 2);
      const [, fence] = (await server.command('ZRANGE', fenceKey(name), 0, 0, 'WITHSCORES')) as string[];
      expect(Number(fence)).toBeGreaterThanOrEqual(lease.fencingToken);
      expect(await two.holdfast.lock(name).tryAcquire()).toBeUndefined();
    }
    expect(await lease.release()).toBe('released');
    await nodes.nothingLeft(name);
  });

  it('are not told again when a majority is not ours any more', async () => {
    await using nodes = await Nodes.start(3);
    await using one = await nodes.open(LONG);
    const name = freshName();
    const lease = await one.holdfast.lock(name).acquire();
    await heldEverywhere(nodes, lease);
    for (const i of [0, 1]) await nodes.server(i).command('DEL', name);
    expect(await lease.renew()).toBe('lost');
    expect(await nodes.values(name)).toEqual([null, null, lease.holderId]);
    expect(await lease.release()).toBe('lost');
    await nodes.nothingLeft(name);
  });

  it('give greater tokens afterwards, although all of them have forgotten the last one', async () => {
    await using nodes = await Nodes.start(3);
    await using one = await nodes.open(LONG);
    const name = freshName();
    const before = await one.holdfast.lock(name).use(({ fencingToken }) => fencingToken);
    await Promise.all(nodes.servers.map((server) => server.restart()));
    await using other = await nodes.open(LONG);
    const after = await other.holdfast.lock(name).use(({ fencingToken }) => fencingToken);
    expect(after).toBeGreaterThan(before);
    expect(await one.holdfast.lock(name).use(({ fencingToken }) => fencingToken)).toBeGreaterThan(after);
  });
});
