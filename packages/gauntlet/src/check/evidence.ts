/**
 * The histories of all processes as one: what was held when, who waited, who did not run, and what was done to them. A lease is certainly held
 * from the moment its ask had resolved until its release was called, it was told lost, or its validity ended by its holder's monotonic
 * clock, whichever came first; that of a process that was killed or stopped, until its validity ended. CLOCK_MONOTONIC is one clock for
 * all processes of a machine. Times are in ms on it.
 */
import type { HistoryEvent } from '@holdfast/testkit';
import type { Operation } from '../resource/fenced.ts';
import type { Interval } from './intervals.ts';

export interface LeaseSeen extends Interval {
  readonly id: string;
  readonly name: string;
  readonly pid: number;
  readonly permits: number;
  readonly token: number;
  readonly slots: readonly (readonly [slot: number, token: number])[];
  readonly asked: number;
  /** By when it certainly stood in the queue, where that was asked. */
  readonly queued: number | undefined;
  readonly validUntil: number;
  readonly lostAt: number | undefined;
  /** The signal's reason. */
  readonly lostReason: string | undefined;
  readonly releaseAt: number | undefined;
  readonly releasedAt: number | undefined;
  readonly outcome: string | undefined;
}

interface Wait extends Interval {
  readonly id: string;
  readonly name: string;
  readonly pid: number;
}

/** A process did not run. */
export interface Gap extends Interval {
  readonly pid: number;
}

/** One hit of a fault. */
export interface Strike extends Interval {
  readonly fault: string;
  /** The process that it hit, if it was one. */
  readonly pid: number | undefined;
  /** That process is dead. */
  readonly killed: boolean;
  /** For how long after its end what was under way may still suffer. */
  readonly graceMs: number;
  /** The server may have lost what it had promised. */
  readonly erasing: boolean;
}

export interface Write extends Operation {
  readonly at: number;
}

export interface Evidence {
  readonly limit: number;
  readonly ttlMs: number;
  readonly leases: readonly LeaseSeen[];
  readonly waits: readonly Wait[];
  readonly gaps: readonly Gap[];
  readonly strikes: readonly Strike[];
  readonly writes: readonly Write[];
  /** When processes had closed everything of theirs. */
  readonly closings: readonly number[];
  /** What a process itself found wrong. */
  readonly faults: readonly string[];
  /** Holds whose process was blocked between check and write. */
  readonly blocked: ReadonlySet<string>;
  readonly asks: number;
  /** How many asks ended with which error. */
  readonly refused: ReadonlyMap<string, number>;
}

const ms = (t: bigint): number => Number(t) / 1e6;

type Open<T> = { -readonly [K in keyof T]: T[K] };

interface Rules {
  readonly limit: number;
  readonly ttlMs: number;
}

export function evidenceOf(history: readonly HistoryEvent[], { limit, ttlMs }: Rules): Evidence {
  const strikes = history.filter(({ type }) => type === 'strike').map(strikeOf);
  const blocked = new Set(history.filter(({ type }) => type === 'block').map(({ id }) => String(id)));
  return {
    limit,
    ttlMs,
    leases: leasesOf(history),
    waits: waitsOf(history, strikes),
    gaps: history.filter(({ type }) => type === 'late').map(gapOf),
    strikes,
    writes: history
      .filter(({ type }) => type === 'write')
      .map((event) => ({ ...(event as unknown as Operation), at: ms(event.t) })),
    closings: history.filter(({ type }) => type === 'closed').map(({ t }) => ms(t)),
    faults: history.flatMap(faultOf),
    blocked,
    asks: history.filter(({ type }) => type === 'ask').length,
    refused: refusedIn(history),
  };
}

function refusedIn(history: readonly HistoryEvent[]): Map<string, number> {
  const refused = new Map<string, number>();
  for (const { type, why } of history)
    if (type === 'none') refused.set(String(why), (refused.get(String(why)) ?? 0) + 1);
  return refused;
}

function strikeOf(event: HistoryEvent): Strike {
  const {
    fault,
    pid,
    killed = false,
    graceMs,
    erasing,
    from,
    to,
  } = event as unknown as Omit<Strike, 'from' | 'to'> & {
    readonly from: string;
    readonly to: string;
  };
  return { fault, pid, killed, graceMs, erasing, from: ms(BigInt(from)), to: ms(BigInt(to)) };
}

const gapOf = (event: HistoryEvent): Gap => ({
  pid: Number(event.pid),
  from: ms(BigInt(String(event.from))),
  to: ms(event.t),
});

function faultOf({ type, what, pid }: HistoryEvent): string[] {
  if (type === 'fault') return [`process ${pid}: ${what}`];
  return type === 'stuck' ? [`process ${pid}: ${what} did not settle by its deadline`] : [];
}

interface Asked {
  readonly at: number;
  readonly name: string;
  readonly permits: number;
  readonly how: string;
}

function leasesOf(history: readonly HistoryEvent[]): LeaseSeen[] {
  const asks = new Map<string, Asked & { queued?: number }>();
  const leases = new Map<string, Open<LeaseSeen>>();
  for (const event of history) {
    const id = String(event.id);
    const at = ms(event.t);
    if (event.type === 'ask') asks.set(id, { ...(event as unknown as Asked), at });
    const asked = asks.get(id);
    if (asked === undefined) continue;
    if (event.type === 'queued') asked.queued = at;
    if (event.type === 'got') leases.set(id, newLease(event, at, asked));
    const lease = leases.get(id);
    if (lease !== undefined) follow(lease, event, at);
  }
  for (const [id, lease] of leases) lease.queued = asks.get(id)?.queued;
  return [...leases.values()].map((lease) => ({ ...lease, to: endOf(lease) }));
}

function newLease(event: HistoryEvent, at: number, { name, permits, at: asked }: Asked): Open<LeaseSeen> {
  const { id, pid, token, slots } = event as unknown as LeaseSeen;
  const held = { id, pid, token, slots, name, permits, asked, from: at, to: at };
  return { ...held, ...NOT_ENDED, validUntil: untilOf(event) };
}

const untilOf = (event: HistoryEvent): number => ms(BigInt(String(event.until)));

const NOT_ENDED = {
  queued: undefined,
  lostAt: undefined,
  lostReason: undefined,
  releaseAt: undefined,
  releasedAt: undefined,
  outcome: undefined,
};

function follow(lease: Open<LeaseSeen>, event: HistoryEvent, at: number): void {
  // With nothing left it is no renewal: the process was stopped between the answer and this line.
  if (event.type === 'renewed' && untilOf(event) > at)
    lease.validUntil = Math.max(lease.validUntil, untilOf(event));
  if (event.type === 'release') lease.releaseAt = at;
  if (event.type === 'released') {
    lease.releasedAt = at;
    lease.outcome = String(event.outcome);
  }
  if (event.type === 'lost') {
    lease.lostAt ??= at;
    lease.lostReason ??= String(event.reason);
  }
}

const endOf = ({ releaseAt, lostAt, validUntil }: LeaseSeen): number =>
  Math.min(validUntil, releaseAt ?? validUntil, lostAt ?? validUntil);

/** Those who wait their turn, until they are answered or die. */
function waitsOf(history: readonly HistoryEvent[], strikes: readonly Strike[]): Wait[] {
  const deaths = deathsOf(strikes);
  const last = history.at(-1);
  const open = new Map<string, Open<Wait>>();
  for (const event of history) {
    const id = String(event.id);
    const at = ms(event.t);
    if (event.type === 'ask' && event.how === 'wait') {
      const to = deaths.get(Number(event.pid)) ?? (last === undefined ? at : ms(last.t));
      open.set(id, { id, name: String(event.name), pid: Number(event.pid), from: at, to });
    }
    const wait = open.get(id);
    if (wait !== undefined && ['got', 'none', 'fault'].includes(event.type)) wait.to = at;
  }
  return [...open.values()];
}

/** When each process that was killed died, by its id. */
export const deathsOf = (strikes: readonly Strike[]): ReadonlyMap<number | undefined, number> =>
  new Map(strikes.filter(({ killed }) => killed).map(({ pid, from }) => [pid, from]));
