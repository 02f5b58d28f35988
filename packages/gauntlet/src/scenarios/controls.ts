/** Locks that are wrong, each in its own way: the checks have to find every one, or they prove nothing about ours. */
import { rmSync } from 'node:fs';
import { type ContestPlan, contest, type Result } from '../arena/contest.ts';
import { type StageOptions, stageOf } from '../arena/stage.ts';
import type { Check } from '../check/violation.ts';
import { BLOCKING, lateWrites } from './blocked.ts';
import { type Outcome, outcomeOf, type Scenario } from './scenario.ts';

interface Wrong {
  readonly what: string;
  readonly plan: ContestPlan;
  readonly stage?: StageOptions;
  /** In the full run. Default 1. */
  readonly timesLonger?: number;
  /** What it must be convicted of. */
  readonly of: string;
  readonly found: (result: Result) => number;
  readonly wanted: (full: boolean) => number;
}

const found = (check: Check) => (result: Result) =>
  result.verdict.violations.filter((one) => one.check === check).length;

const control = (name: string, limit = 1) => ({ kind: 'control', control: name, limit }) as const;

const ALL_WAIT = { mix: { wait: 1, try: 0, short: 0, abort: 0 }, isControl: true } as const;
const IMPATIENT = { ...ALL_WAIT, waitMs: 2_500, fine: ['AcquireTimeoutError'] } as const;
/** Losses of the connection are no fault of theirs. */
const CUT = ['AcquireTimeoutError', 'Error', 'MaxRetriesPerRequestError', 'ReplyError', 'AbortError'];

const wrong: readonly Wrong[] = [
  {
    what: 'released by a blind DEL, holders stopped',
    plan: {
      ...ALL_WAIT,
      subject: control('blindDelete'),
      names: ['a', 'b', 'c'],
      workers: 4,
      durationMs: 5_000,
      ttlMs: 120,
      planned: { stopHolder: 10 },
    },
    of: 'two holders (C1)',
    found: found('C1'),
    wanted: () => 1,
  },
  {
    what: 'a right lock, the resource without its fencing check, blocked on purpose',
    plan: { ...BLOCKING, workers: 6, durationMs: 5_000, fenced: false },
    timesLonger: 4,
    of: 'late writes accepted (C2)',
    found: (result) => lateWrites(result, true),
    wanted: (full) => (full ? 100 : 15),
  },
  {
    what: 'SETNX, then EXPIRE, killed in between',
    plan: { ...IMPATIENT, subject: control('setnxExpire'), names: ['a', 'b'], workers: 3, durationMs: 3_000 },
    of: 'a lock that never comes back (C6)',
    found: found('C6'),
    wanted: () => 1,
  },
  {
    what: 'a semaphore by the clients’ clocks, off by a ttl',
    plan: {
      ...ALL_WAIT,
      subject: control('clientClockSemaphore', 2),
      names: ['a', 'b'],
      workers: 6,
      lanes: 1,
      durationMs: 2_500,
      holdMs: 40,
    },
    of: 'more than the limit (C1)',
    found: found('C1'),
    wanted: () => 1,
  },
  {
    what: 'waiting by message only, holders killed',
    plan: {
      ...IMPATIENT,
      subject: control('messageOnly'),
      names: ['a'],
      workers: 2,
      durationMs: 4_000,
      planned: { killHolder: 2 },
      fine: CUT,
      fineReleases: CUT,
    },
    of: 'waiting for a free lock (C6)',
    found: found('C6'),
    wanted: () => 1,
  },
  {
    what: 'a counter as fencing token, the server restarted without its data',
    plan: {
      ...ALL_WAIT,
      subject: control('counterFence'),
      names: ['a', 'b'],
      workers: 3,
      durationMs: 3_000,
      planned: { restartForgetting: 2 },
      fine: CUT,
      fineReleases: CUT,
    },
    of: 'tokens that go back (C3)',
    found: found('C3'),
    wanted: () => 1,
  },
];

/** They need not be quick, only wrong. */
const AT_ONCE = 6;

async function convicted(
  { what, plan, stage, timesLonger = 1, of, found, wanted }: Wrong,
  full: boolean,
  seed: number,
): Promise<Outcome> {
  await using servers = await stageOf(stage);
  const durationMs = plan.durationMs * (full ? timesLonger : 1);
  const result = await contest(servers, { ...plan, durationMs }, seed);
  rmSync(result.folder, { recursive: true, force: true });
  const hits = [{ fault: of, hits: found(result), wanted: wanted(full) }];
  const { folder, ...outcome } = outcomeOf({ what, result });
  return { ...outcome, hits, violations: [], explained: 0 };
}

export const controls: Scenario = {
  id: 'controls',
  what: 'wrong locks that the checks have to find',
  async run({ full, seed }) {
    const outcomes: Outcome[] = [];
    for (let i = 0; i < wrong.length; i += AT_ONCE) {
      const some = wrong.slice(i, i + AT_ONCE);
      outcomes.push(...(await Promise.all(some.map((one) => convicted(one, full, seed)))));
    }
    return outcomes;
  },
};
