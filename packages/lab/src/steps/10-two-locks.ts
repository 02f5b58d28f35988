/**
 * Two locks at a time. Whoever holds one and waits for another may wait for somebody who waits for him. To notice such a circle
 * takes knowledge of who waits for what: the library has it, and hand-made locks do not.
 */
import type { Actor, End, Step } from '../explore/scenario.ts';
import { oneCommandLock } from './locks/one-command-lock.ts';
import { readersTogether, twiceAndLate } from './two-locks/alike.ts';
import { allTogether, foundDeadlock } from './two-locks/together.ts';

/** Takes the locks in this order, keeping what it has while it waits for the next. Returns what it waited for in vain. */
const inOrder =
  (keys: readonly string[], tries = 2) =>
  async (actor: Actor): Promise<string | undefined> => {
    const held: { key: string; id: string }[] = [];
    for (const key of keys) {
      const id = await oneCommandLock.acquire(actor, key, tries);
      // Waiting on would change nothing: who tries for ever keeps what it has for ever.
      if (id === undefined)
        return `${key}, holding ${held.map((lock) => lock.key).join(' and ') || 'nothing'}`;
      held.push({ key, id });
    }
    for (const { key, id } of held.reverse()) await oneCommandLock.release(actor, key, id);
    return undefined;
  };

/** Everybody holds something, and waits for what another holds. */
function circle({ outcomes }: End): string | undefined {
  const waits = Object.entries(outcomes).flatMap(([name, outcome]) =>
    outcome.is === 'done' && typeof outcome.value === 'string' && !outcome.value.endsWith('nothing')
      ? [`${name} waits for ${outcome.value}`]
      : [],
  );
  return waits.length === Object.keys(outcomes).length ? `${waits.join('; ')}: for ever` : undefined;
}

export const twoLocks: Step = {
  id: '10',
  name: 'two locks',
  about:
    'Who needs two locks takes one after the other. In different orders two of them can stop each other: for as long as the leases last, and for ever if they are renewed. One order for everybody, such as sorted by name, makes that impossible; where there is none, a library that knows who waits for what can end the circle.',
  scenarios: [
    {
      name: 'x then y, y then x',
      about: 'A takes x and then y, B takes y and then x.',
      shows: ['x', 'y'],
      actors: { A: inOrder(['x', 'y']), B: inOrder(['y', 'x']) },
      verdict: circle,
      expects: 'bug',
    },
    {
      name: 'three in a circle',
      about: 'A takes x and then y, B y and then z, C z and then x: no two of them are to blame.',
      shows: ['x', 'y', 'z'],
      actors: { A: inOrder(['x', 'y'], 1), B: inOrder(['y', 'z'], 1), C: inOrder(['z', 'x'], 1) },
      verdict: circle,
      expects: 'bug',
    },
    {
      name: 'both sorted',
      about: 'A and B both take x and then y.',
      shows: ['x', 'y'],
      actors: { A: inOrder(['x', 'y']), B: inOrder(['x', 'y']) },
      verdict: circle,
      expects: 'no bug',
    },
  ],
  dramas: [
    {
      ...foundDeadlock,
      name: 'Holdfast finds the circle',
      about: 'A holds x and waits for y, B holds y and waits for x; one of them is told, the other goes on.',
      expects: 'no bug',
    },
    {
      ...allTogether,
      name: 'Holdfast takes all or none',
      about: 'A wants x and y, B wants y and x, both together: never in each other’s way.',
      expects: 'no bug',
    },
    {
      ...readersTogether,
      name: 'Holdfast lets readers in together',
      about: 'A and B read at the same time; C writes when both have left, and nobody reads meanwhile.',
      expects: 'no bug',
    },
    {
      ...twiceAndLate,
      name: 'Holdfast, one lock twice, and a write that comes too late',
      about:
        'A enters its own lock again and then stands still. B follows after the lease and a pause; what A wants to write then is refused by the server.',
      expects: 'no bug',
    },
  ],
};
