/** The fair semaphore inside a short lock: counting and ranking become one. */
import type { Scenario, Step } from '../explore/scenario.ts';
import { releaseFair } from './semaphores/fair.ts';
import { acquireGuarded, acquireGuardedToTheEnd, GUARD } from './semaphores/guard.ts';
import { inMulti, oneByOne } from './semaphores/pipeline.ts';
import { KEYS, seated, sits, stays, TIMEOUT_MS, visits } from './semaphores/seat.ts';

const shows = [GUARD, ...Object.values(KEYS)];

const visitor = visits((actor) => acquireGuarded(actor, { limit: 1, pipeline: oneByOne }), releaseFair);
const second = visits((actor) => acquireGuarded(actor, { limit: 2, pipeline: oneByOne }), releaseFair);
const guest = stays((actor) => acquireGuarded(actor, { limit: 1, pipeline: inMulti }));
const carefulGuest = stays((actor) => acquireGuardedToTheEnd(actor, { limit: 1, pipeline: inMulti }));

const scenarios: readonly Scenario[] = [
  {
    name: 'one seat, commands one by one',
    about: 'A and B want one seat. Whoever has the guard counts and ranks before anybody else is counted.',
    shows,
    actors: { A: visitor, B: visitor },
    expects: 'no bug',
  },
  {
    name: 'one seat left, and clocks that disagree',
    about:
      'C has one of two seats; A and B want the other. The clock of A is 10 ms ahead, that of B 10 ms behind.',
    shows,
    limit: 2,
    setup: seated('c1', { agoMs: 5 }),
    actors: { A: second, B: second, C: sits },
    clockAheadMs: { A: 10, B: -10 },
    expects: 'no bug',
  },
  {
    name: 'a holder of the guard dies',
    about:
      'A may die at any point. If inside the guard, nobody gets a seat until the lease of the guard ends; too many are never inside.',
    shows,
    actors: { A: visitor, B: visitor },
    happenings: [{ is: 'crash', actor: 'A' }],
    expects: 'no bug',
  },
  {
    name: 'the lease of the guard runs out inside',
    about:
      'A is slow between its two pipelines, slower than the lease of the guard. B gets the guard, is counted, ranks and is in; then A, counted before it, ranks before it: the bug of step 5 again.',
    shows,
    actors: { A: guest, B: guest },
    happenings: [{ is: 'expiry', key: GUARD }],
    expects: 'bug',
  },
  {
    name: 'the lease runs out, and the release of the guard says so',
    about:
      'The chapter does not have this: whoever learns, on releasing the guard, that it was lost, gives the seat back and does not work.',
    shows,
    actors: { A: carefulGuest, B: carefulGuest },
    happenings: [{ is: 'expiry', key: GUARD }],
    expects: 'no bug',
  },
  {
    name: 'a clock ahead by a whole timeout',
    about:
      'The clock of B is ahead by as much as a seat may go without a refresh: for B, the seat that A just took is too old.',
    shows,
    actors: { A: guest, B: guest },
    clockAheadMs: { B: TIMEOUT_MS },
    expects: 'bug',
  },
];

export const guardedFairSemaphore: Step = {
  id: '6',
  name: 'guarded fair semaphore',
  about:
    'The fair semaphore, with its acquisition inside a short lock. Right as long as the lock is: whoever is slower than the lease of the guard is not guarded, and should not work unless the release of the guard says that it held. Clocks may differ by less than the timeout of a seat, not by more.',
  scenarios,
};
