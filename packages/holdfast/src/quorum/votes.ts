/** What the answers of N nodes mean together: pure. */
import type { Vote } from '../store/redis-voter.ts';

export type Answer<T> =
  | { readonly state: 'pending' }
  | { readonly state: 'answered'; readonly value: T }
  | { readonly state: 'failed'; readonly error: unknown };

export function majorityOf(nodes: number): number {
  return Math.floor(nodes / 2) + 1;
}

export function answered<T>(answers: readonly Answer<T>[]): T[] {
  const values: T[] = [];
  for (const answer of answers) if (answer.state === 'answered') values.push(answer.value);
  return values;
}

/** Whether a majority says so, or can no longer; `undefined` while that is open. */
export function verdict<T>(answers: readonly Answer<T>[], says: (value: T) => boolean): boolean | undefined {
  const majority = majorityOf(answers.length);
  let yes = 0;
  let open = 0;
  for (const answer of answers) {
    if (answer.state === 'pending') open++;
    else if (answer.state === 'answered' && says(answer.value)) yes++;
  }
  if (yes >= majority) return true;
  return yes + open < majority ? false : undefined;
}

/** Whether the rest need not be waited for: a majority says so, or has spoken while no majority can say so any more. */
export function isDecided<T>(answers: readonly Answer<T>[], says: (value: T) => boolean): boolean {
  const said = verdict(answers, says);
  return said === true || (said === false && spoken(answers));
}

/** A majority has done it, or none can any more. */
export function isClear(answers: readonly Answer<boolean>[]): boolean {
  return verdict(answers, Boolean) !== undefined;
}

/** For questions to which every node's answer counts. */
export function never(): boolean {
  return false;
}

/** A majority has answered, or can no longer. */
export function spoken<T>(answers: readonly Answer<T>[]): boolean {
  return verdict(answers, () => true) !== undefined;
}

/**
 * - `won`: a majority said yes
 * - `stale`: a majority would have, to a stamp above `above`
 * - `held`: a majority has it for one other holder, for `remainingMs` more (below 0: not known)
 * - `split`: nobody has a majority
 * - `unreachable`: too few nodes answered
 */
export interface Outcome {
  readonly kind: 'won' | 'stale' | 'held' | 'split' | 'unreachable';
  /** The highest fence that a node told. */
  readonly above: number;
  readonly remainingMs: number;
  readonly foreign: boolean;
}

export function isYes(vote: Vote): boolean {
  return vote.kind === 'yes';
}

const WON: Outcome = { kind: 'won', above: 0, remainingMs: -1, foreign: false };

export function outcomeOf(answers: readonly Answer<Vote>[]): Outcome {
  if (verdict(answers, isYes) === true) return WON;
  const majority = majorityOf(answers.length);
  const votes = answered(answers);
  const above = Math.max(0, ...votes.map((vote) => (vote.kind === 'stale' ? vote.fence : 0)));
  const outcome = (kind: Outcome['kind']) => ({ kind, above, remainingMs: -1, foreign: false });
  const yes = votes.filter(isYes).length;
  if (yes + votes.filter(({ kind }) => kind === 'stale').length >= majority) return outcome('stale');
  const holder = heldByMajority(votes, majority);
  if (holder !== undefined) return { ...outcome('held'), ...holder };
  return outcome(votes.length < majority ? 'unreachable' : 'split');
}

type Held = Extract<Vote, { kind: 'held' }>;

export function heldVotes(votes: readonly Vote[]): Held[] {
  return votes.filter((vote) => vote.kind === 'held');
}

/** Until when: then so many of its nodes have let go that it has no majority any more. */
function heldByMajority(votes: readonly Vote[], majority: number) {
  const held = heldVotes(votes);
  for (const { who, foreign } of held) {
    const same = held.filter((vote) => vote.who === who || (foreign && vote.foreign));
    if (same.length < majority) continue;
    const remaining = same.map(({ remainingMs }) => remainingMs).sort((a, b) => a - b);
    return { remainingMs: remaining[same.length - majority] ?? -1, foreign };
  }
  return undefined;
}

export interface Standing {
  readonly rank: number;
  readonly isNew: boolean;
}

/** The place in the queue at a majority: how many stand in front at most, at the nodes that tell the least. */
export function standingOf(places: readonly Standing[], nodes: number): Standing {
  const majority = majorityOf(nodes);
  const ranks = places.map(({ rank }) => rank).sort((a, b) => a - b);
  const rank = ranks[Math.min(majority, ranks.length) - 1] ?? 0;
  return { rank, isNew: places.filter(({ isNew }) => isNew).length >= majority };
}

/**
 * Who holds something at a majority of the nodes, by what each of those that answered says of its own; `undefined` when that is not certain: somebody
 * may have the rest at nodes that did not answer, or nobody has a majority although some have a part.
 */
export function holdersByMajority(
  said: readonly (readonly string[])[],
  nodes: number,
): readonly string[] | undefined {
  const majority = majorityOf(nodes);
  const all = said.flat();
  const silent = nodes - said.length;
  const each = [...new Set(all)].map((who) => ({ who, at: all.filter((one) => one === who).length }));
  const sure = each.filter(({ at }) => at >= majority);
  const open = each.some(({ at }) => at < majority && at + silent >= majority);
  const known = said.length >= majority && !open && (sure.length > 0 || each.length === 0);
  return known ? sure.map(({ who }) => who) : undefined;
}
