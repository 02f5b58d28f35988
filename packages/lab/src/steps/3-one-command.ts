/** The lock and its expiry in one command: no gap is left. What is left is that a lease ends while its holder works. */
import type { Scenario, Step } from '../explore/scenario.ts';
import { soldTwice } from './0-check-then-act.ts';
import type { Release } from './locks/hand-made.ts';
import { oneCommandLock } from './locks/one-command-lock.ts';
import {
  buyUnder,
  keep,
  keptForEver,
  LEASE_OF_A_ENDS,
  robbed,
  takeAndFree,
  takeAndLook,
  waitFor,
} from './locks/plays.ts';
import {
  releaseByDelex,
  releaseByDelifeq,
  releaseByScript,
  releaseChecked,
  releaseWatched,
} from './locks/releases.ts';

const ABOUT = 'The lease of A runs out before A gives it back, and B gets the lock.';

/** A key that is not there is not deleted: it shows whether the server has the command. */
const NONE = 'holdfast-lab:none';

const lateRelease = (release: Release) =>
  ({
    about: ABOUT,
    shows: ['lock'],
    actors: { A: takeAndFree({ ...oneCommandLock, release }), B: takeAndLook(oneCommandLock) },
    happenings: [LEASE_OF_A_ENDS],
    verdict: robbed,
  }) satisfies Partial<Scenario>;

export const oneCommand: Step = {
  id: '3',
  name: 'one command',
  about:
    'SET NX PX makes the lock with its expiry. Compare-and-delete gives it back: by a script, by WATCH, or by one command where the server has it.',
  scenarios: [
    {
      name: 'the holder crashes',
      about: 'A dies at some point, B wants the lock: the key never is without an expiry.',
      setup: [['SET', 'stock', 1]],
      shows: ['lock'],
      actors: { A: buyUnder(oneCommandLock), B: waitFor(oneCommandLock) },
      happenings: [{ is: 'crash', actor: 'A' }],
      verdict: keptForEver,
      expects: 'no bug',
    },
    {
      name: 'one at a time, in time',
      about: 'A and B both want the last ticket, and no lease runs out.',
      setup: [['SET', 'stock', 1]],
      shows: ['lock', 'stock'],
      actors: { A: buyUnder(oneCommandLock), B: buyUnder(oneCommandLock) },
      verdict: (end) => soldTwice(end) ?? end.crowd,
      expects: 'no bug',
    },
    { ...lateRelease(releaseChecked), name: 'release by GET, compare, DEL', expects: 'bug' },
    { ...lateRelease(releaseWatched), name: 'release by WATCH', expects: 'no bug' },
    { ...lateRelease(releaseByScript), name: 'release by a script', expects: 'no bug' },
    {
      ...lateRelease(releaseByDelifeq),
      name: 'release by DELIFEQ',
      needs: ['DELIFEQ', NONE, '-'],
      expects: 'no bug',
    },
    {
      ...lateRelease(releaseByDelex),
      name: 'release by DELEX IFEQ',
      needs: ['DELEX', NONE, 'IFEQ', '-'],
      expects: 'no bug',
    },
    {
      name: 'the lease runs out while its holder works',
      about:
        'A and B both want the last ticket, and at some point the time of the lock is over. No lock alone mends this: renewing makes it rare, a fencing token makes it harmless (step 9).',
      setup: [['SET', 'stock', 1]],
      shows: ['lock', 'stock'],
      actors: { A: buyUnder(keep(oneCommandLock), 1), B: buyUnder(keep(oneCommandLock), 1) },
      happenings: [{ is: 'expiry', key: 'lock' }],
      verdict: soldTwice,
      expects: 'bug',
    },
  ],
};
