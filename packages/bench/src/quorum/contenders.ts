import type { Contender } from './contender.ts';
import { floor, majorityFloor } from './floor.ts';
import { holdfast } from './holdfast.ts';
import { redisSemaphore } from './redis-semaphore.ts';
import { fork, forkAgain, redlock, redlockAgain } from './redlock.ts';
import { patientRedlockUniversal, redlockUniversal } from './redlock-universal.ts';

/** The first is what the others' time is a ratio to. */
export const contenders: readonly [Contender, ...Contender[]] = [
  floor,
  majorityFloor,
  holdfast,
  redlock,
  fork,
  redisSemaphore,
  redlockUniversal,
];

/** How long one waits between two tries matters only where there is somebody to wait for. */
export const contended: readonly Contender[] = [
  ...contenders.filter((one) => !one.noWaiting),
  redlockAgain,
  forkAgain,
  patientRedlockUniversal,
];
