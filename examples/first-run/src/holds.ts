/* Who held the lock from when to when, from the workers' own reports. */
import type { Report } from './protocol.ts';

export interface Hold {
  from: string;
  token: number;
  handedOff: boolean;
  beganAt: number;
  endedAt: number;
}

/** In the order of their fencing tokens. A hold that never ended, as after a kill, is left out. */
export function holdsIn(reports: readonly Report[]): Hold[] {
  const ends = new Map<number, number>();
  for (const report of reports) if (report.is === 'releases') ends.set(report.token, report.at);
  const holds = reports.flatMap((report) => {
    const endedAt = report.is === 'holds' ? ends.get(report.token) : undefined;
    if (report.is !== 'holds' || endedAt === undefined) return [];
    const { from, token, handedOff, at } = report;
    return [{ from, token, handedOff, beganAt: at, endedAt }];
  });
  return holds.sort((a, b) => a.token - b.token);
}

/** For each hold that was handed over: how long after the release before it. */
export function handOffTimes(holds: readonly Hold[]): number[] {
  return holds.flatMap((hold, i) => {
    const before = holds[i - 1];
    return before && hold.handedOff ? [hold.beganAt - before.endedAt] : [];
  });
}

export function countOverlaps(holds: readonly Hold[]): number {
  return holds.filter((hold, i) => hold.beganAt < (holds[i - 1]?.endedAt ?? 0)).length;
}

/** The value that this share of all values does not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}
