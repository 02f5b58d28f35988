import { expect, test } from 'vitest';
import { within } from '../src/bounded.ts';
import type { Contender } from '../src/rivals/contender.ts';
import { alone, contenderOf, contenders } from '../src/rivals/index.ts';
import { inRounds } from '../src/rounds.ts';

const named = (id: string): Contender => ({ ...contenderOf('floor'), id });

test('contenders take turns, the first round of each is not kept, and whoever throws is left out with its reason', async () => {
  const order: string[] = [];
  const runners = await inRounds([named('a'), named('b'), named('c')], 2, async ({ id }) => {
    if (id === 'b') throw new Error('no luck');
    return async () => order.push(id);
  });
  expect(order).toEqual(['a', 'c', 'a', 'c', 'a', 'c']);
  expect(runners).toMatchObject([{ seen: [3, 5] }, { failed: 'no luck', seen: [] }, { seen: [4, 6] }]);
});

test('who breaks down in a later round is not asked again', async () => {
  let rounds = 0;
  const [runner] = await inRounds([named('a')], 5, async () => async () => {
    if (++rounds === 3) throw new Error('enough');
    return rounds;
  });
  expect(rounds).toBe(3);
  expect(runner?.failed).toBe('enough');
});

test('whoever hangs is given up on', async () => {
  await expect(within(20, new Promise(() => {}))).rejects.toThrow('no answer within 0.02 s');
  await expect(within(1_000, Promise.resolve(1))).resolves.toBe(1);
});

test('every contender has an id of its own, and whoever has a best setting is also measured at its defaults', () => {
  const ids = contenders.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { id } of contenders.filter(({ onlyWaiting, role }) => onlyWaiting && role === 'rival'))
    expect(alone.map((one) => one.id)).toContain(id.replace(/-best$/, ''));
});
