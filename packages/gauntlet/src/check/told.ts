/**
 * C4: a holder is told no later than 50 ms after its validity ended; one that did not run then, 50 ms after it runs again. (That it is told, released or
 * over before another is granted is C1.) C5: whoever is told before the end of its validity that its lease is gone was wronged, unless
 * the server lost its data.
 */
import { deathsOf, type Evidence, type Gap, type LeaseSeen } from './evidence.ts';
import { grouped } from './grouped.ts';
import { shown } from './shown.ts';
import type { Violation } from './violation.ts';

const TOLD_WITHIN_MS = 50;
/** A lease ends itself by a timer that comes so much before it has to (`TIMER_SLACK_MS` in the library's watchdog.ts). */
const TIMER_SLACK_MS = 5;
const NEVER = Number.POSITIVE_INFINITY;

export function told({ leases, gaps, strikes }: Evidence): Violation[] {
  const gapsOf = grouped(gaps, ({ pid }) => pid);
  const deaths = deathsOf(strikes);
  return leases.flatMap((lease) => {
    const by = afterRunning(lease.validUntil, TOLD_WITHIN_MS, gapsOf.get(lease.pid) ?? []);
    // Nobody knows whether a process that was killed had run since.
    const over = deaths.has(lease.pid) ? by : (lease.releaseAt ?? NEVER);
    const toldAt = lease.lostAt ?? NEVER;
    if (over <= by || toldAt <= by) return [];
    const lateMs = (toldAt - lease.validUntil).toFixed(1);
    return [{ check: 'C4', text: `${lease.name}: told ${lateMs} ms after its validity: ${shown(lease)}` }];
  });
}

/** When the process has run for so long since `from`. */
function afterRunning(from: number, forMs: number, gaps: readonly Gap[]): number {
  let by = from + forMs;
  for (const gap of gaps) if (gap.from < by && gap.to > from) by += gap.to - Math.max(gap.from, from);
  return by;
}

export function takenAway({ leases }: Evidence): Violation[] {
  return leases.flatMap((lease) => {
    const at = toldGoneAt(lease);
    if (!(at < lease.validUntil)) return [];
    const text = `${lease.name}: it was gone although valid: ${shown(lease)}`;
    return [{ check: 'C5', text, span: { from: lease.asked, to: at } }];
  });
}

/** By the signal, or by the answer to its release. The end of its validity says nothing about others, except where it came too early. */
function toldGoneAt(lease: LeaseSeen): number {
  const { lostAt = NEVER, lostReason, releasedAt = Number.NaN, outcome, validUntil } = lease;
  const bySelf = lostReason === 'expired' && lostAt >= validUntil - TIMER_SLACK_MS;
  const byAnswer = outcome === 'lost' || (outcome === 'expired' && !bySelf) ? releasedAt : NEVER;
  const bySignal = lostReason === 'lost' || (lostReason === 'expired' && !bySelf) ? lostAt : NEVER;
  return Math.min(byAnswer, bySignal);
}
