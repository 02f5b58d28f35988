import { expect, test } from 'vitest';
import { explore } from '../src/explore/explore.ts';
import type { ExploredActor, Scenario } from '../src/explore/scenario.ts';
import { ownServer } from './own-server.ts';

const lab = ownServer();

const run = (scenario: Partial<Scenario>) =>
  explore({ name: 'test', about: '', actors: {}, expects: 'no bug', ...scenario }, lab.own, {
    maxOrders: 1_000,
    seed: 1,
  });

const addsTwice = async (actor: ExploredActor) =>
  actor.transaction(() => [
    ['INCR', 'x'],
    ['INCR', 'x'],
  ]);

test('a transaction is one turn, and nobody comes between its commands', async () => {
  const found = await run({
    actors: { A: addsTwice, B: addsTwice },
    verdict: ({ outcomes: { A } }) =>
      A?.is === 'done' && ['1,2', '3,4'].includes(String(A.value)) ? undefined : 'another came between',
  });
  expect(found).toMatchObject({ orders: 2, bad: 0 });
});

test('a transaction is shown command by command, and its effect after EXEC', async () => {
  const found = await run({
    setup: [['SET', 'x', 5]],
    shows: ['x'],
    actors: { A: addsTwice },
    verdict: () => 'look',
  });
  expect(found.shortest?.lines.map(({ what, reply, keys }) => `${what} ${reply} x=${keys.x}`)).toEqual([
    'MULTI OK x=5',
    'INCR x 6 x=5',
    'INCR x 7 x=5',
    'EXEC [6, 7] x=7',
  ]);
});

test('a command of a transaction that fails rejects it', async () => {
  const actor = (one: ExploredActor) => one.transaction(() => [['INCR', 'word']]);
  const found = await run({
    setup: [['SET', 'word', 'abc']],
    actors: { A: actor },
    verdict: ({ outcomes: { A } }) => (A?.is === 'failed' ? A.error.message : undefined),
  });
  expect(found.shortest?.why).toMatch(/not an integer/);
});

test('a clock that is read in a turn never shows the same time twice, whoever reads it', async () => {
  const reads = (actor: ExploredActor) => actor.readClock();
  const found = await run({
    actors: { A: reads, B: reads },
    verdict: ({ outcomes: { A, B } }) =>
      A?.is === 'done' && B?.is === 'done' && A.value !== B.value ? undefined : 'a tie',
  });
  expect(found).toMatchObject({ orders: 2, bad: 0 });
});
