/**
 * A lock held at a majority of independent servers: Redlock (S. Sanfilippo, "Distributed Locks with Redis"), with fencing tokens.
 * Each attempt proposes a stamp; a node accepts it only when it is greater than every one it accepted before. Two majorities
 * meet in a node, so a later lease has the greater token, whatever the clocks say, as long as the nodes keep their data.
 */
import { backoffMs } from '../backoff.ts';
import { pause } from '../deadline.ts';
import { ConnectionError, WrongTypeError } from '../errors.ts';
import { isPassing } from '../failure.ts';
import type { Ballot, RedisVoter, Vote } from '../store/redis-voter.ts';
import type {
  AcquireReply,
  AcquireRequest,
  CallLimits,
  GrantedReply,
  LockState,
  QueueEntry,
  ReleaseReply,
  RenewReply,
  StoredLock,
} from '../store/store.ts';
import { majorityState } from './majority-state.ts';
import type { Polls } from './polls.ts';
import type { Proposals } from './proposals.ts';
import type { Quorum } from './quorum.ts';
import { toUs } from './quorum-subscriber.ts';
import { type Answer, answered, isYes, type Outcome, outcomeOf, standingOf, verdict } from './votes.ts';

/** So often in a row nobody may win before the caller is told that it is busy. */
const MAX_SPLITS = 5;
const MAX_STALE = 20;
/** Each contender waits a random time, so that one is first at a majority next time. Doubled each time. */
const SPLIT = { leastMs: 2, mostMs: 50 };
const RETRY = { firstMs: 10, maxMs: 250 };
/** As the server says it of a key that is not there: nobody's, ask again soon. */
const FREE_MS = -2;

export class QuorumLock implements StoredLock {
  readonly kind = 'lock';
  readonly shared = false;
  readonly manyQueues = true;

  constructor(
    readonly name: string,
    private readonly quorum: Quorum,
    private readonly voters: readonly RedisVoter[],
    private readonly polls: Polls,
    private readonly proposals: Proposals,
  ) {}

  get key(): string {
    return this.voters[0]?.lock.key ?? '';
  }

  /** Of all nodes: in a Cluster the channel depends on the key. */
  get channel(): string {
    return this.voters.map(({ lock }) => lock.channel).join(' ');
  }

  async acquire(request: AcquireRequest, limits: CallLimits): Promise<AcquireReply> {
    const { clock, stamps } = this.quorum;
    const calledAt = clock.now();
    await this.quorum.ready(this, limits);
    const { entry, holderId } = request;
    let { ticket } = request;
    let above = 0;
    let splits = 0;
    let stale = 0;
    for (let failures = 0; ; ) {
      const startedAt = clock.now();
      const stamp = stamps.next(above);
      const granted = entry !== undefined && !this.proposals.propose(holderId, stamp);
      if (granted || limits.unwanted?.()) throw new ConnectionError('given up', this);
      ticket ??= entry && String(stamp);
      const ballot = { ...request, stamp, ticket, plain: stamps.fresh };
      const answers = await this.attempt(ballot, limits);
      const outcome = outcomeOf(answers);
      if (outcome.kind === 'won') return grantOf(ballot, answers, startedAt);
      this.takeBack(ballot, answers, limits.unwanted?.() === true);
      above = Math.max(above, outcome.above);
      if (outcome.kind === 'stale' && stale++ < MAX_STALE && clock.now() < limits.deadlineAt) continue;
      if (outcome.kind === 'unreachable') {
        await this.pauseOrThrow(answers, failures++, limits);
        continue;
      }
      const delay = splitDelayMs(splits, clock.now() - startedAt);
      if (outcome.kind === 'held' || splits++ >= MAX_SPLITS || clock.now() + delay >= limits.deadlineAt)
        return this.refusal(outcome, ballot, answers, calledAt);
      await pause(delay);
    }
  }

  /**
   * At all nodes; resolves as soon as a majority has said the same. With an entry the acquire as a whole is over, so whatever any node
   * gave it is given back.
   */
  async release(value: string, limits: CallLimits, entry?: QueueEntry): Promise<ReleaseReply> {
    const [holderId = '', token] = value.split(':');
    const over = entry !== undefined;
    if (over) this.proposals.ended(holderId);
    else this.proposals.declined(holderId);
    const named = over ? holderId : value;
    this.polls.end(named);
    const nodeLimits = this.quorum.nodeLimits(limits);
    const stamp = this.quorum.stamps.next(Number(token ?? 0));
    const answers = await this.quorum.ask(
      (i) => this.voter(i).release(named, stamp, nodeLimits, entry),
      // Whoever gives up wants to be out of every queue.
      (sofar) => token !== undefined && verdict(sofar, wasOurs) !== undefined,
    );
    const replies = answered(answers);
    if (verdict(answers, wasOurs) === true)
      return replies.find((reply) => reply !== 'released' && wasOurs(reply)) ?? 'released';
    const gone = replies.filter((reply) => !wasOurs(reply));
    if (gone.length <= this.quorum.nodes.length - this.quorum.majority)
      throw this.quorum.error(this, answers, (reply) => reply);
    return gone.includes('lost') ? 'lost' : 'expired';
  }

  /** Counts only with a majority. A node that lost the lock is then given it back. */
  async renew(value: string, ttlMs: number, limits: CallLimits): Promise<RenewReply> {
    const nodeLimits = this.quorum.nodeLimits(limits, ttlMs);
    const renewed = (reply: RenewReply) => reply === 'renewed';
    let sure = false;
    const missing: number[] = [];
    const topUp = (i: number) => this.topUp(i, value, ttlMs);
    const one = async (i: number) => {
      const reply = await this.voter(i).lock.renew(value, ttlMs, nodeLimits);
      if (reply === 'expired') sure ? topUp(i) : missing.push(i);
      return reply;
    };
    const answers = await this.quorum.ask(one, (sofar) => verdict(sofar, renewed) !== undefined);
    if (verdict(answers, renewed) === true) {
      sure = true;
      missing.forEach(topUp);
      return 'renewed';
    }
    const gone = answered(answers).filter((reply) => reply !== 'renewed');
    if (gone.length <= this.quorum.nodes.length - this.quorum.majority)
      throw this.quorum.error(this, answers, (reply) => reply);
    return gone.includes('lost') ? 'lost' : 'expired';
  }

  async inspect(limits: CallLimits): Promise<LockState> {
    await this.quorum.ready(this, limits);
    const nodeLimits = this.quorum.nodeLimits(limits);
    const answers = await this.quorum.ask(
      (i) => this.voter(i).lock.inspect(nodeLimits),
      () => false,
    );
    const states = answered(answers);
    if (states.length < this.quorum.majority) throw this.quorum.error(this, answers, ({ state }) => state);
    return majorityState(states, this.quorum.majority);
  }

  /** In the background. Released again when the lease was, meanwhile. */
  private topUp(index: number, value: string, ttlMs: number): void {
    const poll = this.polls.begin(value, 1);
    const voter = this.voter(index);
    const again = () =>
      poll.ended ? voter.lock.release(value, this.quorum.nodeLimits(FOR_EVER)) : undefined;
    voter
      .topUp(value, ttlMs, this.quorum.nodeLimits(FOR_EVER))
      .finally(() => poll.settled())
      .then(again)
      .catch(() => {});
  }

  private attempt(ballot: Ballot, limits: CallLimits): Promise<readonly Answer<Vote>[]> {
    const { quorum, polls } = this;
    const value = `${ballot.holderId}:${ballot.stamp}`;
    const poll = polls.begin(value, quorum.nodes.length);
    const nodeLimits = {
      ...quorum.nodeLimits(limits, ballot.ttlMs),
      unwanted: () => poll.ended || limits.unwanted?.() === true,
    };
    // A yes that nobody waits for any more, or that overtook its own release.
    const giveBack = (i: number) => {
      if (poll.ended)
        void this.voter(i)
          .lock.release(value, quorum.nodeLimits(FOR_EVER))
          .catch(() => {});
    };
    const askedAt = quorum.clock.now();
    const vote = async (i: number) => {
      try {
        const unknown = quorum.nodes[i]?.identify(nodeLimits);
        if (unknown !== undefined) await unknown;
        if (poll.ended) throw new ConnectionError('came too late', this);
        const answer = await this.voter(i).vote(ballot, nodeLimits, () => giveBack(i));
        if (answer.serverUs !== undefined) quorum.stamps.learn(i, answer.serverUs, askedAt);
        return answer;
      } finally {
        poll.settled();
      }
    };
    return quorum.ask(
      vote,
      (answers) => verdict(answers, isYes) !== undefined,
      (i, answer) => isYes(answer) && giveBack(i),
    );
  }

  /** After an attempt that failed: at every node but those that certainly said no. */
  private takeBack(ballot: Ballot, answers: readonly Answer<Vote>[], over: boolean): void {
    const { holderId, stamp, entry, ticket } = ballot;
    const value = `${holderId}:${stamp}`;
    this.polls.end(value);
    const limits = this.quorum.nodeLimits(FOR_EVER);
    const next = this.quorum.stamps.next(stamp);
    answers.forEach((answer, i) => {
      if (answer.state === 'answered' && answer.value.kind === 'held') return;
      const voter = this.voter(i);
      const done =
        entry === undefined || ticket === undefined || over
          ? voter.release(value, next, limits, entry)
          : voter.retract(value, entry, ticket, limits);
      done.catch(() => {});
    });
  }

  private refusal(
    outcome: Outcome,
    { entry, ticket = '' }: Ballot,
    answers: readonly Answer<Vote>[],
    calledAt: number,
  ): AcquireReply {
    const { foreign } = outcome;
    if (entry === undefined) return { status: 'busy', remainingMs: outcome.remainingMs, foreign };
    const remainingMs = outcome.kind === 'held' ? outcome.remainingMs : FREE_MS;
    const standing = standingOf(answered(answers), answers.length);
    return { status: 'queued', remainingMs, foreign, ticket, serverUs: toUs(calledAt), ...standing };
  }

  private async pauseOrThrow(
    answers: readonly Answer<Vote>[],
    attempt: number,
    limits: CallLimits,
  ): Promise<void> {
    const error = this.unreachable(answers);
    const delay = backoffMs(attempt, RETRY, Math.random());
    if (!isPassing(error) || this.quorum.clock.now() + delay >= limits.deadlineAt) throw error;
    await pause(delay);
  }

  /** What is no lock at a majority is told as on one server. */
  private unreachable(answers: readonly Answer<Vote>[]): Error {
    const wrongType = answers.flatMap((answer) =>
      answer.state === 'failed' && answer.error instanceof WrongTypeError ? [answer.error] : [],
    );
    const [first] = wrongType;
    if (first !== undefined && wrongType.length > answers.length - this.quorum.majority) return first;
    return this.quorum.error(this, answers, ({ kind }) => kind);
  }

  private voter(index: number): RedisVoter {
    const voter = this.voters[index];
    if (voter === undefined) throw new RangeError(`there is no node ${index}`);
    return voter;
  }
}

/** Whoever gave up has a deadline of its own for taking things back: the node's. */
const FOR_EVER: CallLimits = { deadlineAt: Number.POSITIVE_INFINITY };

/** `yours` when the release before had kept it for this waiter. */
function grantOf(
  { stamp, ttlMs }: Ballot,
  answers: readonly Answer<Vote>[],
  startedAt: number,
): GrantedReply {
  const kept = answered(answers).some((vote) => vote.kind === 'yes' && vote.kept);
  return { status: kept ? 'yours' : 'granted', fencingToken: stamp, leaseMs: ttlMs, startedAt };
}

function wasOurs(reply: ReleaseReply): boolean {
  return reply !== 'expired' && reply !== 'lost';
}

function splitDelayMs(round: number, tookMs: number): number {
  const most = Math.min(SPLIT.mostMs, (SPLIT.leastMs + tookMs) * 2 ** round);
  return Math.random() * most;
}
