/** What the hand-made locks of the steps have in common. They are for learning: never use one outside of the lab. */
import type { Actor } from '../../explore/scenario.ts';

/**
 * `undefined` after so many tries in vain. The chapter sleeps 1 ms between two tries until a timeout: how many there are is then a
 * matter of time, and the explorer needs a number.
 */
export type Acquire = (actor: Actor, key: string, tries: number) => Promise<string | undefined>;

/** Whether it freed the lock that was acquired with this identifier, as far as it can tell. */
export type Release = (actor: Actor, key: string, id: string) => Promise<boolean>;

export interface HandMadeLock {
  readonly acquire: Acquire;
  readonly release: Release;
}

/** The lease of the locks that have one: long, so that it runs out only when the order says so. */
export const LEASE_S = 100;
