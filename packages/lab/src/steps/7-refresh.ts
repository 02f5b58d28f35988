/** Holders that work longer than the timeout. */
import type { End, ExploredActor, Scenario, Step } from '../explore/scenario.ts';
import { acquireFair, releaseFair } from './semaphores/fair.ts';
import { inMulti, oneByOne, type Pipeline } from './semaphores/pipeline.ts';
import { cannotAdd, doesNotLook, doesNotUndo, type Refresh, undoes } from './semaphores/refresh.ts';
import { KEYS, seated, TIMEOUT_MS, visits } from './semaphores/seat.ts';

/** Has had its seat for a whole timeout. Before it works on it asks whether the seat is still its own: so many times, while told no. */
const asks =
  (refresh: Refresh, { times }: { times: number }) =>
  async (actor: ExploredActor) => {
    const id = actor.id();
    for (let i = 0; i < times; i++) if (await refresh(actor, id)) return worksOn(actor, id);
    actor.note('knows that its seat is lost');
    return false;
  };

async function worksOn(actor: ExploredActor, id: string): Promise<boolean> {
  actor.enter();
  actor.note('works on');
  await releaseFair(actor, id);
  actor.leave();
  return true;
}

const wants = (pipeline: Pipeline) =>
  visits((actor) => acquireFair(actor, { limit: 1, pipeline }), releaseFair);

const ranOut = { shows: Object.values(KEYS), setup: seated('a1', { agoMs: TIMEOUT_MS }) };

/** When all have left, a seat that is still taken is nobody's. Only entries of both sets count: the next one to come drops the others. */
async function tooManyOrGhost({ crowd, read }: End): Promise<string | undefined> {
  const ghosts = (await read('ZINTER', 2, KEYS.owner, KEYS.time)) as string[];
  if (crowd !== undefined || ghosts.length === 0) return crowd;
  return `all have left, and ${ghosts.join(' and ')} still takes a seat, for a whole timeout`;
}

const scenarios: readonly Scenario[] = [
  {
    ...ranOut,
    name: 'a refresh whose answer is ignored',
    about:
      'The time of A has run out, and B wants the seat. B prunes A and is in; the refresh of A adds an entry, which A takes for a yes.',
    actors: { A: asks(doesNotLook, { times: 1 }), B: wants(inMulti) },
    expects: 'bug',
  },
  {
    ...ranOut,
    name: 'not undone, and asked again',
    about:
      'A learns that its seat is lost, but leaves the entry. When it asks again (from another timer, or because the first answer got lost) the entry is there, so it is told yes. A lost answer stays a danger where one undoes: nobody undoes what it did not hear of.',
    actors: { A: asks(doesNotUndo, { times: 2 }), B: wants(inMulti) },
    expects: 'bug',
  },
  {
    ...ranOut,
    name: 'not undone: a ghost takes the seat',
    about:
      'The refresh comes after the pruning and before ZINTERSTORE: the entry is back in time to stay in the set of owners. A knows that the seat is lost, B is refused, and for a whole timeout the seat belongs to nobody.',
    actors: { A: asks(doesNotUndo, { times: 1 }), B: wants(oneByOne) },
    verdict: tooManyOrGhost,
    expects: 'bug',
  },
  {
    ...ranOut,
    name: 'not undone, pipelines in MULTI/EXEC: no ghost',
    about:
      'The same with the pipelines of the chapter. The entry that A leaves is in the set by time alone, where it takes no seat: only waste, until it is asked about again.',
    actors: { A: asks(doesNotUndo, { times: 1 }), B: wants(inMulti) },
    verdict: tooManyOrGhost,
    expects: 'no bug',
  },
  {
    ...ranOut,
    name: 'undone',
    about:
      'What was added is removed. A may ask as often as it likes: while another has its seat it is told no, and nothing is left behind.',
    actors: { A: asks(undoes, { times: 2 }), B: wants(oneByOne) },
    verdict: tooManyOrGhost,
    expects: 'no bug',
  },
  {
    ...ranOut,
    name: 'ZADD XX: nothing to undo',
    about:
      'Not of the chapter, whose servers had no XX: a refresh that cannot add an entry leaves nothing behind, even if its answer gets lost.',
    actors: { A: asks(cannotAdd, { times: 2 }), B: wants(oneByOne) },
    verdict: tooManyOrGhost,
    expects: 'no bug',
  },
];

export const refreshedSemaphore: Step = {
  id: '7',
  name: 'refresh',
  about:
    'A holder that works longer than the timeout writes its time anew. If that adds an entry, the entry was gone and the seat is lost; what was added must be removed. A refresh only tells: between the end of the time and the refresh two may work, as in step 2, and here A does nothing in that time.',
  scenarios,
};
