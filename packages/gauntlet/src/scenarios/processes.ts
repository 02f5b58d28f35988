/** Holders and waiters are killed, and stopped for longer than their leases last. */
import { contest } from '../arena/contest.ts';
import { stageOf } from '../arena/stage.ts';
import type { FaultName } from '../faults/index.ts';
import { type Outcome, outcomeOf, type Scenario } from './scenario.ts';

type Planned = Readonly<Partial<Record<FaultName, number>>>;

async function locks(full: boolean, seed: number): Promise<Outcome> {
  await using stage = await stageOf();
  const planned: Planned = full
    ? { killHolder: 36, killWaiter: 22, stopHolder: 62 }
    : { killHolder: 10, killWaiter: 5, stopHolder: 10 };
  const result = await contest(stage, { workers: 8, durationMs: full ? 28_000 : 6_000, planned }, seed);
  // With those of the semaphores 60 kills and 60 stops.
  const wanted = full ? { killHolder: 28, killWaiter: 16, stopHolder: 44 } : {};
  return outcomeOf({ what: '8 locks', result, planned, wanted });
}

async function permits(full: boolean, seed: number): Promise<Outcome> {
  await using stage = await stageOf();
  const planned: Planned = full ? { killHolder: 20, stopHolder: 20 } : { killHolder: 4, stopHolder: 4 };
  const subject = { kind: 'semaphore', limit: 3, slots: true } as const;
  const names = ['gauntlet:seats:a', 'gauntlet:seats:b'];
  const plan = { workers: 5, lanes: 4, names, subject, durationMs: full ? 10_000 : 3_000, planned };
  const result = await contest(stage, plan, seed);
  return outcomeOf({ what: '2 semaphores with 3 slots', result, planned });
}

export const processes: Scenario = {
  id: 'processes',
  what: 'kill -9 of holders and waiters, SIGSTOP past the ttl',
  async run({ full, seed }) {
    return [await locks(full, seed), await permits(full, seed)];
  },
};
