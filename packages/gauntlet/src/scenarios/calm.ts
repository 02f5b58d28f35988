/** Nothing goes wrong: many names with few contenders each, and one name for all, in arrival order. */
import { contest } from '../arena/contest.ts';
import { stageOf } from '../arena/stage.ts';
import { type Outcome, outcomeOf, type Scenario } from './scenario.ts';

const MANY = Array.from({ length: 64 }, (_, i) => `gauntlet:many:${i}`);
const ALL_WAIT = { wait: 1, try: 0, short: 0, abort: 0 };
/** Nothing ends by itself on a busy machine either: that would change the order. */
const LONG = { ttlMs: 5_000, waitMs: 20_000, longHolds: 0, holdMs: 0, mix: ALL_WAIT };
/** Of the full run. */
const ENOUGH = 20_000;

async function many(full: boolean, seed: number): Promise<Outcome> {
  await using stage = await stageOf();
  const plan = { workers: 5, lanes: 16, names: MANY, durationMs: full ? 10_000 : 3_000, ...LONG };
  const result = await contest(stage, plan, seed);
  const enough = full ? ENOUGH : 500;
  const hits = [
    { fault: 'acquisitions without a fault', hits: result.evidence.leases.length, wanted: enough },
  ];
  return { ...outcomeOf({ what: '5 clients × 16 lanes on 64 locks', result }), hits };
}

async function one(full: boolean, seed: number): Promise<Outcome> {
  await using stage = await stageOf();
  const durationMs = full ? 4_000 : 2_000;
  const plan = { workers: 5, lanes: 12, names: ['gauntlet:one'], durationMs, ordered: true, ...LONG };
  const result = await contest(stage, plan, seed);
  const told = result.evidence.leases.filter(({ queued }) => queued !== undefined).length;
  const hits = [{ fault: 'grants whose place in the queue is known', hits: told, wanted: 100 }];
  const notes = [`at most ${result.mostInside} inside at once`];
  return { ...outcomeOf({ what: '60 waiters on one lock, in arrival order', result, notes }), hits };
}

export const calm: Scenario = {
  id: 'calm',
  what: 'no fault: exclusion, growing tokens, arrival order, nothing left behind',
  async run({ full, seed }) {
    return [await many(full, seed), await one(full, seed)];
  },
};
