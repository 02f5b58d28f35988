/** A counter of the server says who is first. */
import type { End, Scenario, Step } from '../explore/scenario.ts';
import { acquireFair, releaseFair } from './semaphores/fair.ts';
import { inMulti, oneByOne, type Pipeline } from './semaphores/pipeline.ts';
import { KEYS, seated, sits, stays, visits } from './semaphores/seat.ts';

const shows = Object.values(KEYS);
const tries = (pipeline: Pipeline) => stays((actor) => acquireFair(actor, { pipeline, limit: 2 }));

/** C has one of the two seats all the time. */
const oneSeatLeft = {
  limit: 2,
  shows,
  setup: seated('c1', { agoMs: 5 }),
};

const triesTheOnlySeat = visits((actor) => acquireFair(actor, { pipeline: inMulti, limit: 1 }), releaseFair);

function stolen({ outcomes }: End): string | undefined {
  const thief = Object.entries(outcomes).find(([, one]) => one.is === 'done' && one.value === true);
  return thief && `${thief[0]} got the seat that C has`;
}

const scenarios: readonly Scenario[] = [
  {
    name: 'a taken seat, and clocks that disagree',
    about:
      'C has the only seat, by a clock that was 10 ms ahead; A is 10 ms ahead and B 10 ms behind. Here the semaphore of step 4 lost the seat; a counter does not.',
    shows,
    setup: seated('c1', { agoMs: -10 }),
    actors: { A: triesTheOnlySeat, B: triesTheOnlySeat, C: sits },
    clockAheadMs: { A: 10, B: -10 },
    verdict: stolen,
    expects: 'no bug',
  },
  {
    ...oneSeatLeft,
    name: 'one seat left, commands one by one',
    about:
      'C has one of two seats; A and B want the other. A is counted first, but B adds and ranks first: B is in, then A ranks before it.',
    actors: { A: tries(oneByOne), B: tries(oneByOne), C: sits },
    expects: 'bug',
  },
  {
    ...oneSeatLeft,
    name: 'one seat left, each pipeline in MULTI/EXEC',
    about:
      'The same with the pipelines of the chapter, which are atomic each. Two atomic steps are not one: B goes between them.',
    actors: { A: tries(inMulti), B: tries(inMulti), C: sits },
    expects: 'bug',
  },
];

export const fairSemaphore: Step = {
  id: '5',
  name: 'fair semaphore',
  about:
    'A counter on the server orders the holders, so clocks no longer do: they only tell which holders are too old, and may differ by a little. But whoever was counted first may be ranked last, and takes the seat from the one that ranked meanwhile.',
  scenarios,
};
