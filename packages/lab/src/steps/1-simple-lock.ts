/** SETNX makes the lock, WATCH and EXEC give it back. Nothing ends it when its holder does not. */
import type { Step } from '../explore/scenario.ts';
import { soldTwice } from './0-check-then-act.ts';
import {
  buyUnder,
  keptForEver,
  LOCK_OF_A_IS_REMOVED,
  robbed,
  takeAndFree,
  takeAndLook,
  waitFor,
} from './locks/plays.ts';
import { releaseBlindly } from './locks/releases.ts';
import { simpleLock } from './locks/simple-lock.ts';

const blindLock = { ...simpleLock, release: releaseBlindly };

export const simple: Step = {
  id: '1',
  name: 'simple lock',
  about:
    'SETNX with a random identifier: who creates the key has the lock, the others try again. To give it back, WATCH the key, compare the identifier, and delete the key in MULTI/EXEC.',
  scenarios: [
    {
      name: 'one at a time',
      about: 'A and B both want the last ticket, and each buys under the lock.',
      setup: [['SET', 'stock', 1]],
      shows: ['lock', 'stock'],
      actors: { A: buyUnder(simpleLock), B: buyUnder(simpleLock) },
      verdict: (end) => soldTwice(end) ?? end.crowd,
      expects: 'no bug',
    },
    {
      name: 'the holder crashes',
      about: 'A dies at some point, B wants the lock.',
      setup: [['SET', 'stock', 1]],
      shows: ['lock'],
      actors: { A: buyUnder(simpleLock), B: waitFor(simpleLock) },
      happenings: [{ is: 'crash', actor: 'A' }],
      verdict: keptForEver,
      expects: 'bug',
    },
    {
      name: 'release by a blind DEL',
      about:
        'An operator takes the lock of A for left over and deletes it; B gets it; then A gives back what it has no more.',
      shows: ['lock'],
      actors: { A: takeAndFree(blindLock), B: takeAndLook(blindLock) },
      happenings: [LOCK_OF_A_IS_REMOVED],
      verdict: robbed,
      expects: 'bug',
    },
    {
      name: 'release by WATCH, compare, MULTI, DEL, EXEC',
      about: 'The same operator; A deletes the key only while it is its own.',
      shows: ['lock'],
      actors: { A: takeAndFree(simpleLock), B: takeAndLook(simpleLock) },
      happenings: [LOCK_OF_A_IS_REMOVED],
      verdict: robbed,
      expects: 'no bug',
    },
  ],
};
