/** Everybody who is measured. */
import type { Contender } from './contender.ts';
import { floor, polling } from './floor.ts';
import { holdfast } from './holdfast.ts';
import { nodeRedisson } from './node-redisson.ts';
import { redisSemaphore, redisSemaphoreBest } from './redis-semaphore.ts';
import { redlockUniversal, redlockUniversalBest } from './redlock-universal.ts';
import { redlock4, redlock4Best } from './redlock4.ts';
import { redlock5, redlock5Best } from './redlock5.ts';
import { sesamecare, sesamecareBest } from './sesamecare.ts';
import { simpleRedisMutex, simpleRedisMutexBest } from './simple-redis-mutex.ts';

export const contenders: readonly Contender[] = [
  floor,
  polling,
  holdfast,
  redlock4,
  redlock4Best,
  redlock5,
  redlock5Best,
  sesamecare,
  sesamecareBest,
  redisSemaphore,
  redisSemaphoreBest,
  redlockUniversal,
  redlockUniversalBest,
  nodeRedisson,
  simpleRedisMutex,
  simpleRedisMutexBest,
];

export const contenderOf = (id: string): Contender => {
  const found = contenders.find((one) => one.id === id);
  if (found === undefined) throw new Error(`there is no contender ${id}`);
  return found;
};

/** Where somebody waits: the floor would throw. */
export const waiting = contenders.filter(({ id }) => id !== 'floor');
/** The same, each once: with its best settings where it has such. */
export const atTheirBest = waiting.filter(({ id }) => !waiting.some((one) => one.id === `${id}-best`));
/** Where nobody waits. */
export const alone = contenders.filter(({ onlyWaiting }) => !onlyWaiting);
