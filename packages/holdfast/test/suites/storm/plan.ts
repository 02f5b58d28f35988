/** What the contenders of each round do: everything that is left to chance is drawn here, from one seed. */

export interface ContenderPlan {
  readonly permits: number;
  /** `short` waits `afterMs`, `abort` is called off after as long. */
  readonly how: 'wait' | 'try' | 'short' | 'abort';
  readonly afterMs: number;
  readonly holdMs: number;
  readonly renew: boolean;
  readonly slots: boolean;
}

export interface RoundPlan {
  readonly round: number;
  /** A name that was never used, or the last one again, with what earlier rounds left there. */
  readonly fresh: boolean;
  /** What happens to the process whose lease is the `faultAt`-th that the resource sees. */
  readonly fault: 'kill' | 'stop' | undefined;
  readonly faultAt: number;
  readonly stopMs: number;
  /** By process. */
  readonly contenders: readonly (readonly ContenderPlan[])[];
}

export interface Crowd {
  readonly seed: number;
  readonly limit: number;
  readonly ttlMs: number;
  readonly processes: number;
  readonly contendersEach: number;
  readonly faults: boolean;
}

/** mulberry32 */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Each hits all rounds that are under way, so that about every sixth is hit by a kill, and every fourth by a stop. */
const faultOf = (round: number) => (round % 24 === 5 ? 'kill' : round % 16 === 12 ? 'stop' : undefined);

export function planRound(round: number, crowd: Crowd): RoundPlan {
  const random = seeded(crowd.seed * 10_007 + round);
  const below = (n: number) => Math.floor(random() * n);
  const fresh = below(2) === 0;
  const fault = crowd.faults ? faultOf(round) : undefined;
  const faultAt = 1 + below(16);
  const stopMs = Math.round(crowd.ttlMs * (1.1 + random() * 0.5));
  const slotted = below(3);
  const contender = (): ContenderPlan => ({
    permits: below(16) === 0 ? crowd.limit : 1 + below(3),
    how: (['try', 'short', 'abort'] as const)[below(8)] ?? 'wait',
    afterMs: below(60),
    holdMs: below(6),
    renew: below(8) > 0,
    // All with slots, all without, or both on one name.
    slots: slotted === 0 || (slotted === 1 && below(2) === 0),
  });
  const process = () => Array.from({ length: crowd.contendersEach }, contender);
  const contenders = Array.from({ length: crowd.processes }, process);
  // While somebody is dead or stopped there is time for leases that are only there because they are renewed.
  const renewed = { permits: 1, how: 'wait', afterMs: 0, holdMs: crowd.ttlMs * 1.3, renew: true } as const;
  if (fault !== undefined)
    for (const plans of contenders) plans[0] = { ...renewed, slots: plans[0]?.slots ?? false };
  return { round, fresh, fault, faultAt, stopMs, contenders };
}
