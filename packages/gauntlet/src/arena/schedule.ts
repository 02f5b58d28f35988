/** When which fault strikes: everything that is left to chance is drawn here, from the seed. The same seed gives the same schedule. */
import { derived, type Random, seeded } from '../random.ts';

export interface Planned {
  readonly fault: string;
  readonly count: number;
}

export interface Blow {
  readonly atMs: number;
  readonly fault: string;
  /** For what the blow itself has to choose. */
  readonly seed: number;
}

/** The blows of each fault are spread over the time, each somewhere in a part of its own. */
export function scheduleOf(planned: readonly Planned[], durationMs: number, seed: number): Blow[] {
  const random = seeded(seed);
  const blows = planned.flatMap(({ fault, count }, kind) =>
    Array.from({ length: count }, (_, i) => ({
      fault,
      atMs: at(random, i, count, durationMs),
      seed: derived(derived(seed, kind), i),
    })),
  );
  return blows.sort((a, b) => a.atMs - b.atMs);
}

function at(random: Random, part: number, parts: number, durationMs: number): number {
  return Math.round(((part + random.next()) / parts) * durationMs);
}
