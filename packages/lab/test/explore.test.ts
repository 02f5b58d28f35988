import { expect, test } from 'vitest';
import { explore } from '../src/explore/explore.ts';
import type { Actor, Scenario } from '../src/explore/scenario.ts';
import { checkThenAct } from '../src/steps/0-check-then-act.ts';
import { ownServer } from './own-server.ts';

const lab = ownServer();

const pings = (count: number) => async (actor: Actor) => {
  for (let i = 0; i < count; i++) await actor.send('PING');
};
const of = (scenario: Partial<Scenario>): Scenario => ({
  name: 'test',
  about: '',
  actors: {},
  expects: 'no bug',
  ...scenario,
});
const bounds = { maxOrders: 5_000, seed: 1 };

test('six commands of each of two actors have 924 orders', async () => {
  const found = await explore(of({ actors: { A: pings(6), B: pings(6) } }), lab.own, bounds);
  expect(found).toMatchObject({ orders: 924, bad: 0, complete: true, share: 1, shortest: undefined });
});

test('more orders than the bound are sampled, each counted once, and the share is estimated', async () => {
  const found = await explore(of({ actors: { A: pings(6), B: pings(6) } }), lab.own, {
    ...bounds,
    maxOrders: 200,
  });
  expect(found.complete).toBe(false);
  // 400 runs, of which some were of an order that had been run before.
  expect(found.orders).toBeGreaterThan(250);
  expect(found.orders).toBeLessThan(400);
  expect(found.share).toBeGreaterThan(0.2);
  expect(found.share).toBeLessThan(0.8);
});

test('a sample never has more orders than there are', async () => {
  const found = await explore(of({ actors: { A: pings(2), B: pings(2) } }), lab.own, {
    ...bounds,
    maxOrders: 5,
  });
  expect(found).toMatchObject({ complete: false });
  expect(found.orders).toBeLessThanOrEqual(6);
});

test('the shortest bad order is shown with replies and keys', async () => {
  const [scenario] = checkThenAct.scenarios;
  const found = await explore(scenario as Scenario, lab.own, bounds);
  expect(found).toMatchObject({ orders: 6, bad: 4, complete: true });
  expect(found.shortest?.why).toBe('2 tickets were sold, there was 1');
  expect(found.shortest?.lines.map(({ who, what, reply }) => `${who}: ${what} ${reply}`.trim())).toEqual([
    'A: GET stock 1',
    'B: GET stock 1',
    'B: SET stock 0 OK',
    'B: sells a ticket',
    'A: SET stock 0 OK',
    'A: sells a ticket',
  ]);
});
