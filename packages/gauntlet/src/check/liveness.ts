/**
 * C6: nobody waits for a free lock for longer than 250 ms. Free is what nobody certainly holds; a waiter counts while its process runs. After a
 * fault the time goes on that it may cost: its duration, and what was under way (for a kill the lease of the dead).
 */
import type { Evidence } from './evidence.ts';
import { grouped } from './grouped.ts';
import { type Interval, intersect, length, subtract, union } from './intervals.ts';
import type { Violation } from './violation.ts';

const FREE_MS = 250;

export interface HandOver extends Interval {
  readonly name: string;
  /** Without the time that a fault may cost. */
  readonly chargedMs: number;
}

/** Each time in which a lock was free and somebody waited for it. */
export function handOvers(evidence: Evidence): HandOver[] {
  const leasesOf = grouped(evidence.leases, ({ name }) => name);
  const excused = excusesOf(evidence);
  return [...grouped(evidence.waits, ({ name }) => name)].flatMap(([name, waits]) => {
    const waited = union(waits);
    const spans = subtract(waited, union(leasesOf.get(name) ?? []));
    return spans.map((span) => ({
      ...span,
      name,
      chargedMs: length([span]) - length(intersect([span], excused)),
    }));
  });
}

function excusesOf({ strikes, gaps, closings, ttlMs }: Evidence): Interval[] {
  return union([
    ...strikes.map(({ from, to, graceMs }) => ({ from, to: to + graceMs })),
    // What is handed to somebody in the moment of its end costs a lease, as after a death.
    ...closings.map((at) => ({ from: at - 1, to: at + ttlMs })),
    // Long enough for its leases to end, and to be given to those who do not run either.
    ...gaps.map(({ from, to }) => ({ from, to: to - from > ttlMs / 2 ? to + ttlMs : to })),
  ]);
}

export function liveness(handedOver: readonly HandOver[]): Violation[] {
  return handedOver.filter(({ chargedMs }) => chargedMs > FREE_MS).map(tooLong);
}

function tooLong({ name, from, to, chargedMs }: HandOver): Violation {
  const times = `${(to - from).toFixed(0)} ms, of which no fault explains ${chargedMs.toFixed(0)} ms, from ${from.toFixed(1)}`;
  return { check: 'C6', text: `${name}: free and waited for, for ${times}` };
}
