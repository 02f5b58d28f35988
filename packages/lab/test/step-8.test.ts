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
