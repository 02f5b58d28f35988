import type { Part } from '../part.ts';
import { growth } from './growth.ts';
import { handOff } from './hand-off.ts';
import { hotLock } from './hot-lock.ts';
import { market } from './market/market.ts';
import { quorum } from './quorum.ts';
import { recovery } from './recovery.ts';
import { semaphore } from './semaphore.ts';
import { uncontended } from './uncontended.ts';
import { weight } from './weight.ts';

export const parts: readonly Part[] = [
  uncontended,
  hotLock,
  handOff,
  growth,
  recovery,
  semaphore,
  quorum,
  market,
  weight,
];

/** In the order in which they run and stand on the page. */
export const PART_IDS: readonly string[] = parts.map(({ id }) => id);
