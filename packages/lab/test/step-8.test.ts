import { beforeAll, expect, test } from 'vitest';
import { explore } from '../src/explore/explore.ts';
import { holdfastStep } from '../src/steps/8-holdfast.ts';
import { warmUp } from '../src/steps/warm-up.ts';
import { ownServer } from './own-server.ts';

const lab = ownServer();
beforeAll(() => warmUp(lab.own.own));

test.each(holdfastStep.scenarios)('$name: no bad order', { timeout: 60_000 }, async (scenario) => {
  const found = await explore(scenario, lab.own, { maxOrders: 5_000, seed: 1 });
  expect(found).toMatchObject({ bad: 0, complete: scenario.maxOrders === undefined });
  expect(found.orders).toBeGreaterThan(5);
});

test('a free lock that was held before is taken by the two plain commands, each in a turn of its own', async () => {
  const scenario = holdfastStep.scenarios.find(({ name }) => name.includes('two plain commands'));
  if (scenario === undefined) throw new Error('there is no such scenario');
  const look = { ...scenario, verdict: () => 'look' };
  const { shortest } = await explore(look, lab.own, { maxOrders: 1, seed: 1 });
  const said = shortest?.lines.map(({ what }) => what) ?? [];
  expect(said).toContain('acquire: SET');
  expect(said).toContain('acquire: ZADD');
});
