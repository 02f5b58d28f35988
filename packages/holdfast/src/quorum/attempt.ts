/** One attempt of an acquire: its ballot at all nodes at once, and what becomes of the votes that come too late. */
import { GivenUpError } from '../errors.ts';
import type { Ballot } from '../store/redis-voter.ts';
import type { CallLimits, QueueEntry } from '../store/store.ts';
import type { Poll } from './polls.ts';
import type { Asked } from './question.ts';
import type { Quorum } from './quorum.ts';
import { type Arena, FOR_EVER, type Rules } from './rules.ts';
import type { Answer } from './votes.ts';

export class Attempt<B extends Ballot, V> implements Asked<V> {
  readonly deadlineAt: number;
  private readonly poll: Poll;
  private readonly limits: CallLimits;
  private readonly quorum: Quorum;

  constructor(
    { quorum, polls }: Arena,
    private readonly rules: Rules<B, V>,
    private readonly ballot: B,
    private readonly askedAt: number,
    limits: CallLimits,
  ) {
    const deadlineAt = quorum.nodeDeadline(limits, ballot.ttlMs);
    const poll = polls.begin(ballot.value, quorum.nodes.length);
    const unwanted = () => poll.ended || quorum.clock.now() >= deadlineAt || limits.unwanted?.() === true;
    this.limits = { deadlineAt, untimed: true, unwanted };
    this.quorum = quorum;
    this.deadlineAt = deadlineAt;
    this.poll = poll;
  }

  get subject() {
    return this.rules.subject;
  }

  ask(node: number): Promise<V> {
    const unknown = this.quorum.nodes[node]?.identify(this.limits);
    return unknown === undefined ? this.vote(node) : this.voteAfter(unknown, node);
  }

  decided(answers: readonly Answer<V>[]): boolean {
    return this.rules.decided(answers, this.ballot);
  }

  heard(node: number, vote: V): void {
    const serverUs = this.rules.clockOf(vote);
    if (serverUs !== undefined) this.quorum.stamps.learn(node, serverUs, this.askedAt);
  }

  settled(): void {
    this.poll.settled();
  }

  /**
   * A yes that nobody waits for any more, or that overtook its own release; or a place in the queue that did. Where the order is kept, a release
   * that was sent after the vote came after it: a vote is not sent again once it is unwanted.
   */
  straggler(node: number, vote: V): void {
    const { quorum, rules, ballot, poll } = this;
    if (poll.over) giveBackAt(quorum, rules, ballot, node, ballot.holderId, ballot.entry);
    else if (poll.ended && !rules.refused(vote) && !quorum.nodes[node]?.store.keepsOrder)
      giveBackAt(quorum, rules, ballot, node, ballot.value, undefined);
  }

  private vote(node: number): Promise<V> {
    return this.rules.vote(node, this.ballot, this.limits);
  }

  private async voteAfter(identified: Promise<void>, node: number): Promise<V> {
    await identified;
    if (this.limits.unwanted?.()) throw new GivenUpError(this.subject);
    return this.vote(node);
  }
}

export function giveBackAt<B extends Ballot, V>(
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
