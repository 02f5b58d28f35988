/** The server dies and comes back: with what it had promised nothing may be lost, and without it tokens still have to grow. */
import { type ContestPlan, contest } from '../arena/contest.ts';
import { type StageOptions, stageOf } from '../arena/stage.ts';
import type { FaultName } from '../faults/index.ts';
import { type Outcome, outcomeOf, type Scenario } from './scenario.ts';

/** One that is loading its data says so. */
const FINE = ['ConnectionError', 'AcquireTimeoutError', 'ServerRefusedError'];
const CREW = { workers: 5, lanes: 4, ttlMs: 400, fine: FINE } as const;

interface Part {
  readonly what: string;
  readonly stage: StageOptions;
  readonly planned: Readonly<Partial<Record<FaultName, number>>>;
  readonly durationMs: number;
  readonly wanted?: Readonly<Record<string, number>>;
}

const parts: readonly Part[] = [
  {
    what: 'one server, appendfsync always',
    stage: { appendonly: true },
    planned: { restartKeeping: 22 },
    wanted: { restartKeeping: 20 },
    durationMs: 18_000,
  },
  {
    what: 'one server without persistence',
    stage: {},
    planned: { restartForgetting: 20, flushAll: 10 },
    durationMs: 15_000,
  },
  {
    what: 'one server, an older state restored',
    stage: { appendonly: true },
    planned: { restoreOlder: 6 },
    wanted: { restoreOlder: 5 },
    durationMs: 8_000,
  },
];

async function run({ what, stage, planned, durationMs, wanted = {} }: Part, seed: number): Promise<Outcome> {
  await using servers = await stageOf(stage);
  const plan: ContestPlan = { ...CREW, planned, durationMs };
  return outcomeOf({ what, result: await contest(servers, plan, seed), planned, wanted });
}

export const restarts: Scenario = {
  id: 'restarts',
  what: 'server killed and restarted, with its data, without, with older ones; FLUSHALL',
  onlyFull: true,
  async run({ seed }) {
    const outcomes: Outcome[] = [];
    for (const part of parts) outcomes.push(await run(part, seed));
    return outcomes;
  },
};
