/**
 * Each hold is of two locks: taken together, or one inside the other in any order, so that circles come about. With holders killed and stopped meanwhile.
 * A circle that nobody found would end by `waitMs`, which is no error that this run allows.
 */
import { contest } from '../arena/contest.ts';
import { stageOf } from '../arena/stage.ts';
import type { FaultName } from '../faults/index.ts';
import { type Outcome, outcomeOf, type Scenario } from './scenario.ts';

/** Victims of a circle, and whoever lost one lease while it waited for the other. */
const FINE = ['DeadlockError', 'LeaseLostError'];
const MIX = { wait: 0, both: 8, try: 1, short: 1, abort: 1 };

async function several(full: boolean, seed: number): Promise<Outcome> {
  await using stage = await stageOf();
  const planned: Partial<Record<FaultName, number>> = full
    ? { killHolder: 10, stopHolder: 10 }
    : { killHolder: 3, stopHolder: 3 };
  const plan = {
    workers: 5,
    lanes: 3,
    names: ['gauntlet:a', 'gauntlet:b', 'gauntlet:c', 'gauntlet:d'],
    waitMs: 10_000,
    mix: MIX,
    fine: FINE,
  };
  const durationMs = full ? 8_000 : 3_000;
  const result = await contest(stage, { ...plan, subject: { kind: 'several' }, planned, durationMs }, seed);
  const outcome = outcomeOf({ what: 'two locks at a time', result, planned });
  const circles = {
    fault: 'circles, each with its victim',
    hits: result.evidence.refused.get('DeadlockError') ?? 0,
    wanted: full ? 10 : 3,
  };
  return { ...outcome, hits: [...outcome.hits, circles] };
}

/** Readers together, writers alone: a writer has the weight of all that could read at once. */
async function readersAndWriters(full: boolean, seed: number): Promise<Outcome> {
  await using stage = await stageOf();
  const planned: Partial<Record<FaultName, number>> = full
    ? { killHolder: 8, killWaiter: 4, stopHolder: 8 }
    : { killHolder: 2, stopHolder: 2 };
  const [workers, lanes] = [5, 4];
  const subject = { kind: 'readWrite', limit: workers * lanes } as const;
  const names = ['gauntlet:doc:a', 'gauntlet:doc:b'];
  const plan = { workers, lanes, names, subject, planned, durationMs: full ? 8_000 : 3_000 };
  const result = await contest(stage, plan, seed);
  const notes = [`a reader weighs 1, a writer ${subject.limit}`];
  return outcomeOf({ what: '2 read-write locks', result, planned, notes });
}

export const severalLocks: Scenario = {
  id: 'several',
  what: 'two locks at a time, together and nested in any order, and one twice: circles are found; readers and writers',
  async run({ full, seed }) {
    return [await several(full, seed), await readersAndWriters(full, seed)];
  },
};
