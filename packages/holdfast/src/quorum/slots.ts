/** What the nodes' answers about slots mean together: pure. */
import { rangeError } from '../errors.ts';
import type { SlotsBallot, SlotsState, SlotsVote } from '../store/redis-slots.ts';
import type { SemaphoreHold, SemaphoreState } from '../store/store.ts';
import { type Answer, answered, majorityOf, type Outcome, spoken } from './votes.ts';

/** Each slot is a lock of its own. */
export const MAX_SLOTS = 1_000;

export function tooManySlots(limit: number): RangeError {
  return rangeError(
    `limit: expected at most ${MAX_SLOTS} permits over several servers, where each permit is a lock of its own, got ${limit}; use one server for more`,
  );
}

/** Those that at least so many nodes name (a majority), the lowest first. */
export function proposed<V>(
  answers: readonly Answer<V>[],
  slotsOf: (vote: V) => readonly number[],
  least = majorityOf(answers.length),
): number[] {
  const counts = new Map<number, number>();
  for (const vote of answered(answers))
    for (const slot of slotsOf(vote)) counts.set(slot, (counts.get(slot) ?? 0) + 1);
  const enough = [...counts].filter(([, count]) => count >= least).map(([slot]) => slot);
  return enough.sort((a, b) => a - b);
}

export function wonSlots(answers: readonly Answer<SlotsVote>[]): number[] {
  return proposed(answers, ({ accepted }) => accepted);
}

/** Those that could have been had: accepted, or free. */
function possible(answers: readonly Answer<SlotsVote>[]): number[] {
  return proposed(answers, couldBeHad);
}

function couldBeHad({ accepted, free }: SlotsVote): readonly number[] {
  return [...new Set([...accepted, ...free])];
}

/** Whether so many slots could have a majority, if `open` more nodes said yes. */
export function couldStill(
  answers: readonly Answer<readonly number[]>[],
  permits: number,
  open: number,
): boolean {
  const majority = majorityOf(answers.length);
  if (open >= majority) return true;
  return proposed(answers, (slots) => slots, majority - open).length >= permits;
}

/** Won, or certainly not; and then also certain whether other slots could be had. */
export function slotsDecided(answers: readonly Answer<SlotsVote>[], ballot: SlotsBallot): boolean {
  if (wonSlots(answers).length >= ballot.permits) return true;
  const open = answers.filter(({ state }) => state === 'pending').length;
  const couldBe = (slotsOf: (vote: SlotsVote) => readonly number[]) =>
    couldStill(
      answers.map((answer) =>
        answer.state === 'answered' ? { ...answer, value: slotsOf(answer.value) } : answer,
      ),
      ballot.permits,
      open,
    );
  if (couldBe(({ accepted }) => accepted) || !spoken(answers)) return false;
  return possible(answers).length >= ballot.permits || !couldBe(couldBeHad);
}

/** The one that a majority has, or would have next. */
export function commonLimit(votes: readonly { readonly limit: number | undefined }[]): number | undefined {
  const limits = votes.map(({ limit }) => limit).filter((limit) => limit !== undefined);
  return limits.sort((a, b) => a - b)[Math.floor((limits.length - 1) / 2)];
}

export function slotsOutcome(answers: readonly Answer<SlotsVote>[], ballot: SlotsBallot): Outcome {
  const votes = answered(answers);
  const majority = majorityOf(answers.length);
  const above = Math.max(0, ...votes.map(({ fence }) => fence));
  const outcome = (kind: Outcome['kind'], remainingMs = -1) => ({ kind, above, remainingMs, foreign: false });
  if (wonSlots(answers).length >= ballot.permits) return outcome('won');
  if (votes.length < majority) return outcome('unreachable');
  if (possible(answers).length >= ballot.permits) return outcome('stale');
  return outcome('held', firstEnd(votes, majority));
}

/** When the first of them ends at a majority. */
function firstEnd(votes: readonly SlotsVote[], majority: number): number {
  const ends = votes.map(({ remainingMs }) => remainingMs).filter((ms) => ms >= 0);
  return ends.sort((a, b) => a - b)[Math.min(majority, ends.length) - 1] ?? -2;
}

/**
 * At first any, at random, so that those who come at once mostly take different ones; then of those that could be had. The caller's limit may
 * be missing: then none, and the answer tells what is free.
 */
export function chosenSlots(
  permits: number,
  limit: number | undefined,
  last: readonly Answer<SlotsVote>[] | undefined,
): readonly number[] {
  const from = last === undefined ? Array.from({ length: limit ?? 0 }, (_, slot) => slot) : possible(last);
  return shuffled(from, permits);
}

/** So many of them (Fisher and Yates, as far as needed). */
function shuffled(slots: readonly number[], count: number): number[] {
  const all = [...slots];
  const most = Math.min(count, all.length);
  for (let i = 0; i < most; i++) {
    const j = i + Math.floor(Math.random() * (all.length - i));
    [all[i], all[j]] = [all[j] ?? 0, all[i] ?? 0];
  }
  return all.slice(0, most);
}

/** Held is what a majority has for the same lease. */
export function slotsState(states: readonly SlotsState[], majority: number): SemaphoreState {
  const seen = new Map<
    string,
    { count: number; slot: number; clientId: string; fencingToken: number; ends: number[] }
  >();
  for (const { slot, clientId, fencingToken, remainingMs } of states.flatMap(({ held }) => held)) {
    const key = `${slot} ${clientId} ${fencingToken}`;
    const one = seen.get(key) ?? { count: 0, slot, clientId, fencingToken, ends: [] };
    seen.set(key, { ...one, count: one.count + 1, ends: [...one.ends, remainingMs] });
  }
  const leases = new Map<string, SemaphoreHold>();
  for (const { count, slot, clientId, fencingToken, ends } of seen.values()) {
    if (count < majority) continue;
    const remainingMs = ends.sort((a, b) => b - a)[majority - 1] ?? 0;
    const lease = leases.get(`${clientId} ${fencingToken}`);
    const slots = [...(lease?.slots ?? []), slot].sort((a, b) => a - b);
    const least = Math.min(remainingMs, lease?.remainingMs ?? remainingMs);
    const one = { clientId, fencingToken, permits: slots.length, remainingMs: least, slots };
    leases.set(`${clientId} ${fencingToken}`, one);
  }
  const all = [...leases.values()].sort((a, b) => a.remainingMs - b.remainingMs);
  // One that is late with what the others have done counts as little as one that lost its queue.
  const byQueue = [...states].sort((a, b) => a.queueLength - b.queueLength);
  const typical = byQueue[(byQueue.length - 1) >> 1];
  return {
    limit: commonLimit(states),
    held: all.reduce((sum, { permits }) => sum + permits, 0),
    leases: all,
    queueLength: typical?.queueLength ?? 0,
    waiters: typical?.waiters ?? [],
    serverUs: typical?.serverUs ?? 0,
  };
}
