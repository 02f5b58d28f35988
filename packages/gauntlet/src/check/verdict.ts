/** All checks over one run's evidence. */
import type { Evidence } from './evidence.ts';
import { exclusion } from './exclusion.ts';
import { type HandOver, handOvers, liveness } from './liveness.ts';
import { register } from './register.ts';
import { arrival, tokens } from './tokens.ts';
import { takenAway, told } from './told.ts';
import type { Violation } from './violation.ts';

export interface Verdict {
  readonly violations: readonly Violation[];
  /** What a lease cannot promise when the server has lost what it had promised: counted, and no violation. */
  readonly explained: readonly Violation[];
  readonly handOvers: readonly HandOver[];
}

export function verdictOn(evidence: Evidence, { ordered = false } = {}): Verdict {
  const handedOver = handOvers(evidence);
  const found = [
    ...exclusion(evidence),
    ...register(evidence),
    ...tokens(evidence),
    ...told(evidence),
    ...takenAway(evidence),
    ...liveness(handedOver),
    ...(ordered ? arrival(evidence) : []),
    ...evidence.faults.map((text) => ({ check: 'C9', text }) as const),
  ];
  const explained = new Set(found.filter((one) => isExplained(one, evidence)));
  return {
    violations: found.filter((one) => !explained.has(one)),
    explained: [...explained],
    handOvers: handedOver,
  };
}

function isExplained({ span }: Violation, { strikes }: Evidence): boolean {
  if (span === undefined) return false;
  return strikes.some(
    ({ erasing, from, to, graceMs }) => erasing && from <= span.to && to + graceMs >= span.from,
  );
}
