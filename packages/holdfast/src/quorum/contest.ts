/**
 * One acquire at a quorum: attempts until one wins a majority, somebody else has it, or too few nodes answer. What is contested (a lock,
 * slots of a semaphore) is told by `Rules`. After Redlock (S. Sanfilippo, "Distributed Locks with Redis"): all nodes in parallel, each
 * with a deadline of its own, whatever an attempt that failed may have got is given back everywhere, and the next comes after a random time.
 */
import { pause } from '../deadline.ts';
import { GivenUpError } from '../errors.ts';
import type { Ballot } from '../store/redis-voter.ts';
import type { AcquireReply, AcquireRequest, CallLimits, QueueEntry } from '../store/store.ts';
import { Attempt, giveBackAt } from './attempt.ts';
import { toUs } from './quorum-subscriber.ts';
import { type Arena, FOR_EVER, type Rules } from './rules.ts';
import type { Answer } from './votes.ts';

/**
 * So often an attempt is repeated at once, since it could win now (`stale`), or soon, when nobody has a majority (`splits`). Whoever waits
 * in the queues is told where it stands instead, and asks again.
 */
const REPEATS = { once: { stale: 5, splits: 5 }, waiting: { stale: 1, splits: 0 } };
/** Each contender waits a random time, so that one is first at a majority next time. Doubled each time. */
const SPLIT = { leastMs: 2, mostMs: 50 };
/** As the server says it of a key that is not there: nobody's, ask again soon. */
const FREE_MS = -2;

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
  const unready = quorum.ready(rules.subject, limits);
  if (unready !== undefined) await unready;
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
    const value = `${holderId}:${stamp}`;
    const ballot = rules.ballot({ ...request, value, stamp, ticket, plain: stamps.fresh }, last);
    const answers = await quorum.ask(new Attempt(arena, rules, ballot, startedAt, limits));
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

/** After an attempt that failed: at every node but those that certainly said no. */
function takeBack<B extends Ballot, V>(
  arena: Arena,
  rules: Rules<B, V>,
  ballot: B,
  answers: readonly Answer<V>[],
  over: boolean,
): void {
  const { value, entry, ticket } = ballot;
  arena.polls.end(value);
  answers.forEach((answer, node) => {
    if (answer.state === 'answered' && rules.refused(answer.value)) return;
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
  const { value } = ballot;
  const poll = polls.begin(value, 1);
  const limits = { ...quorum.nodeLimits(FOR_EVER), unwanted: () => poll.over };
  await rules.retract(node, value, entry, ticket, limits).catch(() => {});
  poll.settled();
  if (poll.over) giveBackAt(quorum, rules, ballot, node, ballot.holderId, entry);
}

function splitDelayMs(round: number, tookMs: number): number {
  return Math.random() * Math.min(SPLIT.mostMs, (SPLIT.leastMs + tookMs) * 2 ** round);
}
