/**
 * A waiter here has the lease only when the release before it, in the same process, has settled. With a node that does not answer that
 * takes until its deadline, and what the waiter has won must still be there then.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { freshName, Nodes } from './support/nodes.ts';

const TTL_MS = 60_000;
/** Of one node. */
const DEADLINE_MS = 1_000;
/** A waiter without an answer asks again after 50 to 150 ms. */
const SEVERAL_ASKS_MS = 500;

it('a lease that was won while a release is still under way is not given up by asking again', async () => {
  await using nodes = await Nodes.start(3);
  await using near = await nodes.open({ ttlMs: TTL_MS });
  await using far = await nodes.openFar({ ttlMs: TTL_MS, commandTimeoutMs: DEADLINE_MS });
  const name = freshName();
  const lock = far.holdfast.lock(name);
  const first = await near.holdfast.lock(name).acquire();
  // It listens from here on.
  await expect(lock.acquire({ waitMs: 200 })).rejects.toThrow('not acquired within');
  far.ways[2]?.silence('both', 'hold');
  // Whoever gives up waits for every node, since it wants to be out of every queue.
  await expect(lock.acquire({ waitMs: 20 })).rejects.toThrow('not acquired within');
  await first.release();
  const from = performance.now();
  await using lease = await lock.acquire();
  expect(performance.now() - from).toBeGreaterThan(SEVERAL_ASKS_MS);
  expect((await nodes.values(name)).slice(0, 2)).toEqual([lease.holderId, lease.holderId]);
  expect(await lease.renew()).toBe('renewed');
  // An ask that was under way when it settled takes back what it got, and nothing else.
  await sleep(SEVERAL_ASKS_MS);
  expect(await near.holdfast.lock(name).tryAcquire()).toBeUndefined();
  expect(await lease.renew()).toBe('renewed');
  far.ways[2]?.heal();
});
