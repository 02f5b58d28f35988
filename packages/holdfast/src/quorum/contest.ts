/**
 * One acquire at a quorum: attempts until one wins a majority, somebody else has it, or too few nodes answer. What is contested (a lock,
 * slots of a semaphore) is told by `Rules`. After Redlock (S. Sanfilippo, "Distributed Locks with Redis"): all nodes in parallel, each
 * with a deadline of its own, whatever an attempt that failed may have got is given back everywhere, and the next comes after a random time.
 */
import { pause } from '../deadline.ts';
import { GivenUpError, type Subject } from '../errors.ts';
import type { Ballot } from '../store/redis-voter.ts';
import type { AcquireReply, AcquireRequest, CallLimits, QueueEntry, ReleaseReply } from '../store/store.ts';
import type { Polls } from './polls.ts';
import type { Proposals } from './proposals.ts';
import type { Quorum } from './quorum.ts';
import { toUs } from './quorum-subscriber.ts';
import type { Answer, Outcome, Standing } from './votes.ts';

/**
 * So often an attempt is repeated at once, since it could win now (`stale`), or soon, when nobody has a majority (`splits`). Whoever waits
 * in the queues is told where it stands instead, and asks again.
 */
const REPEATS = { once: { stale: 5, splits: 5 }, waiting: { stale: 1, splits: 0 } };
/** Each contender waits a random time, so that one is first at a majority next time. Doubled each time. */
const SPLIT = { leastMs: 2, mostMs: 50 };
/** As the server says it of a key that is not there: nobody's, ask again soon. */
const FREE_MS = -2;
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
  vote(node: number, ballot: B, limits: CallLimits, late: () => void): Promise<V>;
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

export async function contest<B extends Ballot, V>(
  arena: Arena,
  rules: Rules<B, V>,
  request: AcquireRequest,
  limits: CallLimits,
): Promise<AcquireReply> {
  const { quorum, proposals } = arena;
  const { clock, stamps } = quorum;
  const { entry, holderId } = request;
  const calledAt = clock.now();
  await quorum.ready(rules.subject, limits);
  let { ticket } = request;
  let above = 0;
  let splits = 0;
  let stale = 0;
  let last: readonly Answer<V>[] | undefined;
  const most = entry === undefined ? REPEATS.once : REPEATS.waiting;
  for (let failures = 0; ; ) {
    const startedAt = clock.now();
    const stamp = stamps.next(above);
    const granted = entry !== undefined && !proposals.propose(holderId, stamp);
    if (granted || limits.unwanted?.()) throw new GivenUpError(rules.subject);
    ticket ??= entry && String(stamp);
    const ballot = rules.ballot({ ...request, stamp, ticket, plain: stamps.fresh }, last);
    const answers = await attempt(arena, rules, ballot, limits);
    const outcome = rules.outcome(answers, ballot);
    if (outcome.kind === 'won') return rules.won(ballot, answers, startedAt);
    takeBack(arena, rules, ballot, answers, limits.unwanted?.() === true);
    last = answers;
    if (outcome.kind !== 'unreachable') limits.refused?.();
    above = Math.max(above, outcome.above);
    if (outcome.kind === 'stale' && stale++ < most.stale && clock.now() < limits.deadlineAt) continue;
    if (outcome.kind === 'unreachable') {
      await quorum.pauseOrThrow(quorum.error(rules.subject, answers, rules.said), failures++, limits);
      continue;
    }
    const delay = splitDelayMs(splits, clock.now() - startedAt);
    if (outcome.kind === 'held' || splits++ >= most.splits || clock.now() + delay >= limits.deadlineAt) {
      const { foreign } = outcome;
      if (entry === undefined) return { status: 'busy', remainingMs: outcome.remainingMs, foreign };
      const remainingMs = outcome.kind === 'held' ? outcome.remainingMs : FREE_MS;
      const standing = rules.standing(answers);
      return {
        status: 'queued',
        remainingMs,
        foreign,
        ticket: ticket ?? '',
        serverUs: toUs(calledAt),
        ...standing,
      };
    }
    await pause(delay);
  }
}

function attempt<B extends Ballot, V>(
  { quorum, polls }: Arena,
  rules: Rules<B, V>,
  ballot: B,
  limits: CallLimits,
): Promise<readonly Answer<V>[]> {
  const value = `${ballot.holderId}:${ballot.stamp}`;
  const poll = polls.begin(value, quorum.nodes.length);
  const nodeLimits = {
    ...quorum.nodeLimits(limits, ballot.ttlMs),
    unwanted: () => poll.ended || limits.unwanted?.() === true,
  };
  // A yes that nobody waits for any more, or that overtook its own release; or a place in the queue that did.
  const giveBack = (node: number) => {
    const named = poll.over ? ballot.holderId : value;
    if (poll.ended) giveBackAt(quorum, rules, ballot, node, named, poll.over ? ballot.entry : undefined);
  };
  const askedAt = quorum.clock.now();
  const vote = async (node: number) => {
    try {
      const unknown = quorum.nodes[node]?.identify(nodeLimits);
      if (unknown !== undefined) await unknown;
      if (poll.ended) throw new GivenUpError(rules.subject);
      const answer = await rules.vote(node, ballot, nodeLimits, () => giveBack(node));
      const serverUs = rules.clockOf(answer);
      if (serverUs !== undefined) quorum.stamps.learn(node, serverUs, askedAt);
      return answer;
    } finally {
      poll.settled();
    }
  };
  return quorum.ask(
    vote,
    (answers) => rules.decided(answers, ballot),
    (node, answer) => (poll.over || !rules.refused(answer)) && giveBack(node),
  );
}

function giveBackAt<B extends Ballot, V>(
  quorum: Quorum,
  rules: Rules<B, V>,
  { stamp }: B,
  node: number,
  value: string,
  entry: QueueEntry | undefined,
): void {
  const next = quorum.stamps.next(stamp);
  rules.release(node, value, next, quorum.nodeLimits(FOR_EVER), entry).catch(() => {});
}

/** After an attempt that failed: at every node but those that certainly said no. */
function takeBack<B extends Ballot, V>(
  arena: Arena,
  rules: Rules<B, V>,
  ballot: B,
  answers: readonly Answer<V>[],
  over: boolean,
): void {
  const value = `${ballot.holderId}:${ballot.stamp}`;
  arena.polls.end(value);
  answers.forEach((answer, node) => {
    if (answer.state === 'answered' && rules.refused(answer.value)) return;
    const { entry, ticket } = ballot;
    if (entry === undefined || ticket === undefined || over)
      giveBackAt(arena.quorum, rules, ballot, node, value, entry);
    else void retract(arena, rules, ballot, node, entry, ticket);
  });
}

/** Puts the waiter back at its place, unless it has left meanwhile: the script may have to be sent twice. Never rejects. */
async function retract<B extends Ballot, V>(
  { quorum, polls }: Arena,
  rules: Rules<B, V>,
  ballot: B,
  node: number,
  entry: QueueEntry,
  ticket: string,
): Promise<void> {
  const value = `${ballot.holderId}:${ballot.stamp}`;
  const poll = polls.begin(value, 1);
  const limits = { ...quorum.nodeLimits(FOR_EVER), unwanted: () => poll.over };
  await rules.retract(node, value, entry, ticket, limits).catch(() => {});
  poll.settled();
  if (poll.over) giveBackAt(quorum, rules, ballot, node, ballot.holderId, entry);
}

function splitDelayMs(round: number, tookMs: number): number {
  return Math.random() * Math.min(SPLIT.mostMs, (SPLIT.leastMs + tookMs) * 2 ** round);
}
