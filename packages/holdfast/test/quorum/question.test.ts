/** When a question to all nodes ends, and what becomes of what comes later. No server: the nodes answer by hand. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ConnectionError } from '../../src/index.ts';
import type { QuorumNode } from '../../src/quorum/node.ts';
import { type Asked, Question } from '../../src/quorum/question.ts';
import { type Answer, isClear } from '../../src/quorum/votes.ts';

interface Reply {
  readonly resolve: (value: boolean) => void;
  readonly reject: (error: Error) => void;
}

const clock = { now: () => Date.now() };
const DEADLINE_MS = 100;
/** More than any grace: that is 5 ms and twice what the others took. */
const LONG_MS = 50;

let nodes: QuorumNode[];
let replies: Reply[];
let decision: readonly Answer<boolean>[] | undefined;
beforeEach(() => {
  vi.useFakeTimers();
  nodes = [0, 1, 2].map((index) => ({ index, silent: false }) as QuorumNode);
  replies = [];
  decision = undefined;
});
afterEach(() => void vi.useRealTimers());

/** Decided when a majority has said yes or no majority can. */
function ask(more: Partial<Asked<boolean>> = {}): void {
  const wait = (node: number) =>
    new Promise<boolean>((resolve, reject) => {
      replies[node] = { resolve, reject };
    });
  const asked = { ask: wait, decided: isClear, ...more };
  void new Question(nodes, clock, asked).decision.then((answers) => {
    decision = answers;
  });
}

/** That node says so, and everybody hears it. */
async function says(node: number, value: boolean): Promise<void> {
  replies[node]?.resolve(value);
  await pass(0);
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const silent = (...which: number[]) => {
  for (const node of nodes) node.silent = which.includes(node.index);
};

describe('silent nodes', () => {
  it('are waited for when they are needed for a majority, though they fell silent only meanwhile', async () => {
    ask();
    // Another call had no answer from these two; this one may well get its own.
    silent(1, 2);
    await says(0, true);
    await pass(LONG_MS);
    expect(decision).toBeUndefined();
    await says(1, true);
    expect(decision?.map(({ state }) => state)).toEqual(['answered', 'answered', 'pending']);
  });

  it('are not waited for when a majority has answered, decided or not', async () => {
    silent(2);
    ask();
    await says(0, true);
    await says(1, false);
    expect(decision).toBeUndefined();
    await pass(LONG_MS);
    expect(decision?.map(({ state }) => state)).toEqual(['answered', 'answered', 'pending']);
  });
});

describe('the deadline', () => {
  it('fails the nodes that have not answered, and they count as silent', async () => {
    const settled = vi.fn();
    ask({ deadlineAt: clock.now() + DEADLINE_MS, settled });
    await says(0, true);
    await pass(DEADLINE_MS - 1);
    expect(decision).toBeUndefined();
    await pass(1);
    expect(decision?.map(({ state }) => state)).toEqual(['answered', 'failed', 'failed']);
    expect(decision?.[1]).toMatchObject({ error: expect.any(ConnectionError) });
    expect(nodes.map((node) => node.silent)).toEqual([false, true, true]);
    expect(settled).toHaveBeenCalledTimes(3);
  });

  it('goes on after the decision: whoever has still not answered then is silent', async () => {
    ask({ deadlineAt: clock.now() + DEADLINE_MS });
    await says(0, true);
    await says(1, true);
    expect(decision).toBeDefined();
    await pass(DEADLINE_MS);
    expect(nodes.map((node) => node.silent)).toEqual([false, false, true]);
    expect(decision?.[2]).toEqual({ state: 'pending' });
  });

  it('leaves no timer behind once all have answered', async () => {
    ask({ deadlineAt: clock.now() + DEADLINE_MS });
    for (const node of [0, 1, 2]) await says(node, true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('what comes after it, or after the decision, is told to whoever has to give it back', async () => {
    const straggler = vi.fn();
    ask({ deadlineAt: clock.now() + DEADLINE_MS, straggler });
    await says(0, true);
    await pass(DEADLINE_MS);
    await says(1, true);
    await says(2, false);
    expect(straggler.mock.calls).toEqual([
      [1, true],
      [2, false],
    ]);
    expect(nodes.map((node) => node.silent)).toEqual([false, true, true]);
  });
});
