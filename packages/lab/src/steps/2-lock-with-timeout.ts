/** The lock gets an expiry, so that a dead holder does not keep it: by a second command, which brings a gap and a new bug. */
import type { Scenario, Step } from '../explore/scenario.ts';
import { soldTwice } from './0-check-then-act.ts';
import { chapterCheck, checkOfToday, lockWithTimeout, type Missing } from './locks/lock-with-timeout.ts';
import { buyUnder, keep, keptForEver, waitFor } from './locks/plays.ts';

const crashInTheGap = (missing: Missing) =>
  ({
    setup: [['SET', 'stock', 1]],
    shows: ['lock'],
    actors: { A: buyUnder(keep(lockWithTimeout(missing)), 1), B: waitFor(lockWithTimeout(missing)) },
    happenings: [{ is: 'crash', actor: 'A' }],
    verdict: keptForEver,
  }) satisfies Partial<Scenario>;

const lock = lockWithTimeout(checkOfToday);

export const withTimeout: Step = {
  id: '2',
  name: 'lock with timeout',
  about:
    'SETNX, then EXPIRE: the lock of a dead holder ends by itself. Whoever fails to get it sets the expiry if it is missing. But it also ends under a holder that lives and is slow.',
  scenarios: [
    {
      ...crashInTheGap(undefined),
      name: 'a crash between SETNX and EXPIRE',
      about: 'A dies at some point, B wants the lock and does not look for an expiry.',
      expects: 'bug',
    },
    {
      ...crashInTheGap(chapterCheck),
      name: 'repaired if “not ttl”',
      about:
        'A dies at some point; B, failing, asks for the TTL and sets the expiry if the reply is nothing or 0, as in the chapter. Today TTL answers -1 for "no expiry": the check never fires.',
      expects: 'bug',
    },
    {
      ...crashInTheGap(checkOfToday),
      name: 'repaired if “ttl < 0”',
      about: 'A dies at some point; B, failing, asks for the TTL and sets the expiry if the reply is -1.',
      expects: 'no bug',
    },
    {
      name: 'one at a time, in time',
      about: 'A and B both want the last ticket, and no lease runs out.',
      setup: [['SET', 'stock', 1]],
      shows: ['lock', 'stock'],
      actors: { A: buyUnder(lock, 1), B: buyUnder(lock, 1) },
      verdict: (end) => soldTwice(end) ?? end.crowd,
      expects: 'no bug',
    },
    {
      name: 'the lease runs out while its holder works',
      about: 'A and B both want the last ticket, and at some point the time of the lock is over.',
      setup: [['SET', 'stock', 1]],
      shows: ['lock', 'stock'],
      actors: { A: buyUnder(keep(lock), 1), B: buyUnder(keep(lock), 1) },
      happenings: [{ is: 'expiry', key: 'lock' }],
      verdict: soldTwice,
      expects: 'bug',
    },
  ],
};
