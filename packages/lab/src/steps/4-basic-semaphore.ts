/** A sorted set by the clients' clocks. */
import type { ExploredActor, Scenario, Step } from '../explore/scenario.ts';
import { acquireBasic, releaseBasic } from './semaphores/basic.ts';
import { inMulti, oneByOne } from './semaphores/pipeline.ts';
import { visits } from './semaphores/seat.ts';

/** The best that this semaphore can have: the clock is read in the very moment in which all its commands go. */
const atOnce = visits(
  (actor) => acquireBasic(actor, { limit: 2, pipeline: inMulti, time: () => actor.now() }),
  releaseBasic,
);

const oneSeat = (readTime: (actor: ExploredActor) => number | Promise<number>) =>
  visits(async (actor) => {
    const time = await readTime(actor);
    return acquireBasic(actor, { limit: 1, pipeline: oneByOne, time: () => time });
  }, releaseBasic);

/** These differ in nothing but the clocks. */
const threeForTwoSeats = { limit: 2, shows: ['seats'], actors: { A: atOnce, B: atOnce, C: atOnce } };

/** Everybody reads the clock before the order begins. */
const sameMillisecond = oneSeat((actor) => actor.now());
const anyMillisecond = oneSeat((actor) => actor.readClock());

const scenarios: readonly Scenario[] = [
  {
    ...threeForTwoSeats,
    name: 'perfect clocks, read in the moment of the adding',
    about:
      'Three want two seats. All clocks agree, no two reads fall into one millisecond, and nothing comes between the read and the commands: what the semaphore relies on, and no client can have.',
    expects: 'no bug',
  },
  {
    ...threeForTwoSeats,
    name: 'a clock 10 ms ahead',
    about: 'The same, but the clock of A is 10 ms ahead: who comes after it ranks before it.',
    clockAheadMs: { A: 10 },
    expects: 'bug',
  },
  {
    ...threeForTwoSeats,
    name: 'a clock 10 ms behind',
    about: 'The same, but the clock of C is 10 ms behind: it ranks before those who came first.',
    clockAheadMs: { C: -10 },
    expects: 'bug',
  },
  {
    name: 'the same millisecond',
    about:
      'Perfect clocks. A and B want one seat and read the same time. Entries of one score are in the order of their names: a1 ranks before b1, though b1 was first.',
    shows: ['seats'],
    actors: { A: sameMillisecond, B: sameMillisecond },
    expects: 'bug',
  },
  {
    name: 'read early, added late',
    about:
      'Perfect clocks, never the same time. A reads its clock and is slow to add; B, whose time is later, adds and ranks meanwhile. The chapter does not say this: perfect clocks do not save this semaphore.',
    shows: ['seats'],
    actors: { A: anyMillisecond, B: anyMillisecond },
    expects: 'bug',
  },
];

export const basicSemaphore: Step = {
  id: '4',
  name: 'basic semaphore',
  about:
    'A sorted set with one entry for each holder, scored by the clock of the client: prune what is too old, add oneself, and whoever ranks below the limit has a seat. It is exact only if entries are added in the order of their times. A clock that is off steals the last seat; so does a tie; and so does any pause between reading the clock and adding, however good the clocks.',
  scenarios,
};
