/** What is contested, a lock or slots of a semaphore, as far as an acquire and a release have to know. */
import type { Subject } from '../errors.ts';
import type { Ballot } from '../store/redis-voter.ts';
import type { AcquireReply, CallLimits, QueueEntry, ReleaseReply } from '../store/store.ts';
import type { Polls } from './polls.ts';
import type { Proposals } from './proposals.ts';
import type { Quorum } from './quorum.ts';
import type { Answer, Outcome, Standing } from './votes.ts';

/** Whoever gave up has a deadline of its own for taking things back: the node's. */
export const FOR_EVER: CallLimits = { deadlineAt: Number.POSITIVE_INFINITY };

/** What the acquires of one instance share. */
export interface Arena {
  readonly quorum: Quorum;
  readonly polls: Polls;
  readonly proposals: Proposals;
}

export interface Rules<B extends Ballot, V> {
  readonly subject: Subject;
  /** What to ask for, after an earlier answer of this acquire. */
  ballot(ballot: Ballot, last: readonly Answer<V>[] | undefined): B;
  vote(node: number, ballot: B, limits: CallLimits): Promise<V>;
  /** Nothing of it can be at a node that answered so. */
  refused(vote: V): boolean;
  clockOf(vote: V): number | undefined;
  decided(answers: readonly Answer<V>[], ballot: B): boolean;
  outcome(answers: readonly Answer<V>[], ballot: B): Outcome;
  standing(answers: readonly Answer<V>[]): Standing;
  /** The reply for an attempt that won. */
  won(ballot: B, answers: readonly Answer<V>[], startedAt: number): AcquireReply;
  said(vote: V): string;
  release(
    node: number,
    value: string,
    stamp: number,
    limits: CallLimits,
    entry?: QueueEntry,
  ): Promise<ReleaseReply>;
  retract(
    node: number,
    value: string,
    entry: QueueEntry,
    ticket: string,
    limits: CallLimits,
  ): Promise<unknown>;
}
