/** The holder's own clock. Monotonic: no wall clock ever decides who holds what. Tests pass another one in. */
export interface Clock {
  /** Milliseconds from an arbitrary start, never stepping back. */
  now(): number;
}

export const monotonicClock: Clock = { now: () => performance.now() };
