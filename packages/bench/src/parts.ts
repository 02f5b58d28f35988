import { handOff } from './hand-off.ts';
import { hotLock } from './hot-lock.ts';
import type { Part } from './part.ts';
import { quorum } from './quorum/quorum.ts';
import { semaphore } from './semaphore.ts';
import { uncontended } from './uncontended.ts';

export const parts: readonly Part[] = [uncontended, hotLock, handOff, semaphore, quorum];
