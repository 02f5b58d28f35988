import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RedisProcess, startServer } from '../../testkit/src/index.ts';
import { connections, type OwnConnections } from '../src/explore/connections.ts';
import { explore } from '../src/explore/explore.ts';
import { holdfastStep } from '../src/steps/8-holdfast.ts';
import { warmUp } from '../src/steps/warm-up.ts';

let server: RedisProcess;
let own: OwnConnections;
beforeAll(async () => {
  server = await startServer();
  own = connections(server.port);
  await warmUp(own.own);
});
afterAll(async () => {
  own[Symbol.dispose]();
  await server.shutdown();
});

test.each(holdfastStep.scenarios)('$name: no bad order', { timeout: 60_000 }, async (scenario) => {
  const found = await explore(scenario, own, { maxOrders: 5_000, seed: 1 });
  expect(found).toMatchObject({ bad: 0, complete: scenario.maxOrders === undefined });
  expect(found.orders).toBeGreaterThan(5);
});

test('a free lock that was held before is taken by the two plain commands, each in a turn of its own', async () => {
  const scenario = holdfastStep.scenarios.find(({ name }) => name.includes('two plain commands'));
  if (scenario === undefined) throw new Error('there is no such scenario');
  const look = { ...scenario, verdict: () => 'look' };
  const { shortest } = await explore(look, own, { maxOrders: 1, seed: 1 });
  const said = shortest?.lines.map(({ what }) => what) ?? [];
  expect(said).toContain('acquire: SET');
  expect(said).toContain('acquire: ZADD');
});
