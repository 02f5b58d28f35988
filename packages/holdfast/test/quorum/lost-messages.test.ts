/**
 * Each node is reachable, or loses requests, replies or both: all 64 combinations of that on three nodes. Once what is lost never comes
 * (the connection breaks at the end), and once it only comes late.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Direction } from '../../../testkit/src/index.ts';
import { QuorumError } from '../../src/index.ts';
import { freshName, Nodes, type Peer } from './support/nodes.ts';
import { failureOf, took } from './support/outcomes.ts';

const DEADLINE_MS = 400;
const GRACE_MS = 600;
/** Nothing here is waited for until it ends by itself. */
const TTL_MS = 60_000;

const LOST = { none: undefined, requests: 'up', replies: 'down', both: 'both' } as const;
type Lost = keyof typeof LOST;
const STATES = Object.keys(LOST) as Lost[];
const COMBINATIONS = STATES.flatMap((a) => STATES.flatMap((b) => STATES.map((c) => [a, b, c] as const)));

let nodes: Nodes;
let other: Peer;
beforeAll(async () => {
  nodes = await Nodes.start(3);
  other = await nodes.open();
});
afterAll(async () => {
  await other[Symbol.asyncDispose]();
  await nodes[Symbol.asyncDispose]();
});

describe.each([
  ['for ever', 'drop'],
  ['for a while', 'hold'],
] as const)('lost %s', (_, how) => {
  it.concurrent.each(COMBINATIONS)('at the three nodes: %s, %s, %s', async (...lost) => {
    await using one = await nodes.openFar({ commandTimeoutMs: DEADLINE_MS, ttlMs: TTL_MS });
    const name = freshName('lost');
    for (const [i, way] of one.ways.entries()) {
      const direction: Direction | undefined = LOST[lost[i] ?? 'none'];
      if (direction !== undefined) way.silence(direction, how);
    }
    const trying = one.holdfast.lock(name).tryAcquire();
    if (lost.filter((what) => what === 'none').length >= 2) {
      const { value: lease, ms } = await took(trying);
      expect(ms).toBeLessThan(DEADLINE_MS + GRACE_MS);
      expect(await other.holdfast.lock(name).tryAcquire()).toBeUndefined();
      expect(await lease?.release()).toBe('released');
    } else {
      const { error, ms } = await failureOf(trying);
      expect(ms).toBeLessThan(DEADLINE_MS + GRACE_MS);
      expectVotes(error, lost);
    }
    for (const way of one.ways) {
      way.heal();
      if (how === 'drop') way.cut();
    }
    await nodes.nothingLeft(name);
    const next = await other.holdfast.lock(name).tryAcquire();
    expect(await next?.release()).toBe('released');
  });
});

/** Too few votes: of each node what it said, or why it did not. Whoever is not needed any more may still be pending. */
function expectVotes(error: Error, lost: readonly Lost[]): void {
  expect(error).toBeInstanceOf(QuorumError);
  const { votes, majority } = error as QuorumError;
  expect(majority).toBe(2);
  const told = votes.map(({ vote, reason }) => (reason as { code?: string } | undefined)?.code ?? vote);
  const pending = told.filter((one) => one === 'no answer yet').length;
  expect(pending).toBeLessThanOrEqual(votes.length - majority);
  for (const [i, what] of lost.entries())
    expect(told[i]).toMatch(what === 'none' ? /^yes$/ : /^(HOLDFAST_CONNECTION|no answer yet)$/);
}
