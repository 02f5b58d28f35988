/** The server goes on; the connections to it, its scripts and the network do not. */
import { contest } from '../arena/contest.ts';
import { stageOf } from '../arena/stage.ts';
import type { FaultName } from '../faults/index.ts';
import { type Outcome, outcomeOf, type Scenario } from './scenario.ts';

type Planned = Readonly<Partial<Record<FaultName, number>>>;

/** Some answers never come, and then nobody knows: that is said, and is no lease. */
const FINE = ['ConnectionError', 'AcquireTimeoutError'];

async function cut(full: boolean, seed: number): Promise<Outcome> {
  await using stage = await stageOf();
  const planned: Planned = full
    ? { killConnections: 20, killSubscriptions: 20, pauseClients: 16, flushScripts: 50 }
    : { killConnections: 4, killSubscriptions: 5, pauseClients: 4, flushScripts: 12 };
  const plan = { workers: 5, lanes: 4, durationMs: full ? 14_000 : 5_000, planned, fine: FINE };
  return outcomeOf({ what: '8 locks', result: await contest(stage, plan, seed), planned });
}

async function network(full: boolean, seed: number): Promise<Outcome> {
  await using stage = await stageOf({ farWorkers: 5 });
  const planned: Planned = full
    ? { loseReplies: 40, halfOpen: 10, delay: 10, reset: 30, stopServer: 20 }
    : { loseReplies: 8, reset: 5, delay: 2 };
  const plan = { workers: 5, lanes: 4, durationMs: full ? 16_000 : 5_000, planned, fine: FINE };
  return outcomeOf({
    what: '8 locks, a proxy before each process',
    result: await contest(stage, plan, seed),
    planned,
  });
}

export const connections: Scenario = {
  id: 'connections',
  what: 'connections killed, clients paused, scripts flushed, replies lost, delays, resets',
  async run({ full, seed }) {
    return [await cut(full, seed), await network(full, seed)];
  },
};
