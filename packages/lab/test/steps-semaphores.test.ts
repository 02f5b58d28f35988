/** Steps 4 to 7: every order of every scenario, and what the shortest bad one tells. */
import { describe, expect, test } from 'vitest';
import { explore } from '../src/explore/explore.ts';
import type { Found, Scenario } from '../src/explore/scenario.ts';
import { basicSemaphore } from '../src/steps/4-basic-semaphore.ts';
import { fairSemaphore } from '../src/steps/5-fair-semaphore.ts';
import { guardedFairSemaphore } from '../src/steps/6-guarded-fair-semaphore.ts';
import { refreshedSemaphore } from '../src/steps/7-refresh.ts';
import { ownServer } from './own-server.ts';

const lab = ownServer();

const steps = [basicSemaphore, fairSemaphore, guardedFairSemaphore, refreshedSemaphore];
const scenarios = steps.flatMap(({ id, scenarios }) =>
  scenarios.map((scenario) => ({ title: `${id}: ${scenario.name}`, scenario })),
);
const these = (expects: Scenario['expects']) =>
  scenarios.filter(({ scenario }) => scenario.expects === expects);

const known = new Map<Scenario, Promise<Found>>();
function everyOrder(scenario: Scenario): Promise<Found> {
  const found = known.get(scenario) ?? explore(scenario, lab.own, { maxOrders: 3_000, seed: 1 });
  known.set(scenario, found);
  return found;
}

/** The story of each bug: actor, command, reply, for the commands that matter. */
const stories: Readonly<Record<string, readonly string[]>> = {
  // A came first, and yet both of the others rank below the limit.
  '4: a clock 10 ms ahead': ['A ZRANK 0', 'B ZRANK 0', 'C ZRANK 1'],
  // C came last, and ranks first.
  '4: a clock 10 ms behind': ['A ZRANK 0', 'B ZRANK 1', 'C ZRANK 0'],
  '4: the same millisecond': ['B ZADD 1', 'B ZRANK 0', 'A ZADD 1', 'A ZRANK 0'],
  '4: read early, added late': ['A reads', 'B reads', 'B ZADD 1', 'B ZRANK 0', 'A ZADD 1', 'A ZRANK 0'],
  '5: one seat left, commands one by one': ['A INCR 2', 'B INCR 3', 'B ZRANK 1', 'A ZRANK 1'],
  '5: one seat left, each pipeline in MULTI/EXEC': ['A INCR 2', 'B INCR 3', 'B ZRANK 1', 'A ZRANK 1'],
  '6: the lease of the guard runs out inside': [
    ...['A SET OK', 'A INCR 1', 'time the'],
    ...['B SET OK', 'B INCR 2', 'B ZRANK 0', 'B EVAL 1'],
    ...['A ZRANK 0', 'A EVAL 0'],
  ],
  '6: a clock ahead by a whole timeout': [
    ...['A ZREMRANGEBYSCORE 0', 'A ZRANK 0'],
    ...['B ZREMRANGEBYSCORE 1', 'B ZRANK 0'],
  ],
  '7: a refresh whose answer is ignored': ['B ZREMRANGEBYSCORE 1', 'B ZRANK 0', 'A works'],
  '7: not undone, and asked again': ['B ZREMRANGEBYSCORE 1', 'B ZRANK 0', 'A works'],
  '7: not undone: a ghost takes the seat': [
    'B ZREMRANGEBYSCORE 1',
    'A knows',
    'B ZINTERSTORE 1',
    'B ZRANK 1',
  ],
};

/** The lines about the same commands as `story`, in its form. */
function told({ shortest }: Found, story: readonly string[]): readonly string[] {
  const words = new Set(story.map((line) => line.split(' ')[1]));
  const lines =
    shortest?.lines.map(({ who, what, reply }) => ({ who, word: what.split(' ')[0], reply })) ?? [];
  const isCommand = (word = '') => word === word.toUpperCase();
  return lines
    .filter(({ word }) => words.has(word))
    .map(({ who, word, reply }) => `${who} ${word}${isCommand(word) ? ` ${reply}` : ''}`);
}

describe('a wrong semaphore is found out, by the order that a teacher would draw', () => {
  test.for(these('bug'))('$title', async ({ title, scenario }) => {
    const found = await everyOrder(scenario);
    expect(found.complete).toBe(true);
    expect(found.bad).toBeGreaterThan(0);
    const story = stories[title] ?? [];
    expect(told(found, story)).toEqual(story);
    expect(story).not.toEqual([]);
  });
});

describe('a right semaphore has no bad order', () => {
  test.for(these('no bug'))('$title', async ({ scenario }) => {
    expect(await everyOrder(scenario)).toMatchObject({ complete: true, bad: 0 });
  });
});

describe('and not because nobody ever gets a seat', () => {
  test.for(these('no bug'))('$title', async ({ scenario }) => {
    // With one seat less, or without the one who has it, the same actors do too much.
    const { limit = 1, verdict, setup = [] } = scenario;
    const harder = { ...scenario, limit: limit - 1, setup: verdict?.name === 'stolen' ? [] : setup };
    const found = await explore(harder, lab.own, { maxOrders: 100, seed: 1 });
    expect(found.bad).toBeGreaterThan(0);
  });
});

test('a tie is decided by the names: both entries have the same score', async () => {
  const scenario = basicSemaphore.scenarios.find(({ name }) => name === 'the same millisecond') as Scenario;
  const { shortest } = await everyOrder(scenario);
  const [b, a] =
    shortest?.lines.filter(({ what }) => what.startsWith('ZADD')).map(({ what }) => what.split(' ')) ?? [];
  expect([b?.[3], a?.[3]]).toEqual(['b1', 'a1']);
  expect(a?.[2]).toBe(b?.[2]);
});

test('with clocks that agree, only what is not added in the order of the times goes wrong', async () => {
  const scenario = basicSemaphore.scenarios.find(({ name }) => name === 'read early, added late') as Scenario;
  const { shortest } = await everyOrder(scenario);
  const times =
    shortest?.lines.filter(({ what }) => what.startsWith('ZADD')).map(({ what }) => what.split(' ')[2]) ?? [];
  expect(times).toHaveLength(2);
  expect(Number(times[0])).toBeGreaterThan(Number(times[1]));
});
