/** Histories written by hand: `at` in ms. */
import type { HistoryEvent } from '../../testkit/src/index.ts';
import { type Evidence, evidenceOf } from '../src/check/evidence.ts';

type Fields = Record<string, unknown>;

export const event = (at: number, type: string, fields: Fields = {}): HistoryEvent => ({
  t: BigInt(Math.round(at * 1e6)),
  type,
  pid: 1,
  ...fields,
});

export const ns = (at: number): string => String(BigInt(Math.round(at * 1e6)));

export interface Life {
  readonly id: string;
  readonly asked?: number;
  readonly got: number;
  readonly validMs?: number;
  readonly token: number;
  readonly released?: number;
  readonly lost?: number;
  readonly reason?: string;
  readonly outcome?: string;
  readonly queued?: number;
  readonly pid?: number;
  readonly permits?: number;
}

/** One lease of the lock `a`, from its ask to its end. */
export function life(one: Life): HistoryEvent[] {
  const {
    id,
    got,
    token,
    validMs = 200,
    asked = got - 1,
    released,
    lost,
    queued,
    pid = 1,
    permits = 1,
  } = one;
  const mine = { id, pid };
  return [
    event(asked, 'ask', { ...mine, name: 'a', how: 'wait', permits }),
    ...(queued === undefined ? [] : [event(queued, 'queued', mine)]),
    event(got, 'got', { ...mine, token, slots: [[0, token]], until: ns(got + validMs) }),
    ...(lost === undefined ? [] : [event(lost, 'lost', { ...mine, reason: one.reason ?? 'expired' })]),
    ...(released === undefined
      ? []
      : [
          event(released, 'release', mine),
          event(released + 1, 'released', { ...mine, outcome: one.outcome ?? 'released' }),
        ]),
  ];
}

export const write = (at: number, id: string, token: number, accepted = true): HistoryEvent =>
  event(at, 'write', { id, name: 'a', slot: 0, token, accepted });

export const strike = (from: number, to: number, fields: Fields = {}): HistoryEvent =>
  event(to, 'strike', { fault: 'test', from: ns(from), to: ns(to), graceMs: 0, erasing: false, ...fields });

export const late = (from: number, to: number, pid = 1): HistoryEvent =>
  event(to, 'late', { pid, from: ns(from), ms: to - from });

export function seen(events: readonly (HistoryEvent | readonly HistoryEvent[])[], limit = 1): Evidence {
  const history = events.flat().sort((a, b) => Number(a.t - b.t));
  return evidenceOf(history, { limit, ttlMs: 200 });
}
