/**
 * A lock held at a majority of independent servers: Redlock (S. Sanfilippo, "Distributed Locks with Redis"), with fencing tokens.
 * Each attempt proposes a stamp; a node accepts it only when it is greater than every one it accepted before. Two majorities
 * meet in a node, so a later lease has the greater token, whatever the clocks say, as long as the nodes keep their data.
 */
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
import { at } from './at.ts';
import { contest } from './contest.ts';
import { forceReleaseAtAll } from './force-release-at-all.ts';
import { majorityState } from './majority-state.ts';
import type { Quorum } from './quorum.ts';
import { releaseAtAll } from './release-at-all.ts';
import { renewAtAll } from './renew-at-all.ts';
import { type Arena, FOR_EVER, type Rules } from './rules.ts';
import {
  type Answer,
  answered,
  heldVotes,
  isDecided,
  isYes,
  never,
  outcomeOf,
  standingOf,
  verdict,
} from './votes.ts';

export class QuorumLock implements StoredLock {
  readonly kind = 'lock';
  readonly shared = false;
  readonly manyQueues = true;
  private readonly rules: Rules<Ballot, Vote>;

  constructor(
    readonly name: string,
    private readonly arena: Arena,
    private readonly voters: readonly RedisVoter[],
  ) {
    this.rules = {
      subject: this,
      ballot: (ballot) => ballot,
      vote: (i, ballot, limits) => this.voter(i).vote(ballot, limits),
      refused: ({ kind }) => kind === 'held',
      clockOf: ({ serverUs }) => serverUs,
      decided: (answers) => isDecided(answers, isYes),
      outcome: outcomeOf,
      standing: (answers) => standingOf(heldVotes(answered(answers)), answers.length),
      won: grantOf,
      said: ({ kind }) => kind,
      release: (i, value, stamp, limits, entry) => this.voter(i).release(value, stamp, limits, entry),
      retract: (i, value, entry, ticket, limits) => this.voter(i).retract(value, entry, ticket, limits),
    };
  }

  private get quorum(): Quorum {
    return this.arena.quorum;
  }

  get key(): string {
    return this.voter(0).lock.key;
  }

  /** Of all nodes: in a Cluster the channel depends on the key. */
  get channel(): string {
    return this.voters.map(({ lock }) => lock.channel).join(' ');
  }

  acquire(request: AcquireRequest, limits: CallLimits): Promise<AcquireReply> {
    return contest(this.arena, this.rules, request, limits);
  }

  release(value: string, limits: CallLimits, entry?: QueueEntry): Promise<ReleaseReply> {
    return releaseAtAll(this.arena, this.rules, value, limits, entry);
  }

  /** Counts only with a majority. A node that lost the lock is then given it back. */
  async renew(value: string, ttlMs: number, limits: CallLimits): Promise<RenewReply> {
    const nodeLimits = this.quorum.nodeLimits(limits, ttlMs);
    const renewed = (reply: RenewReply) => reply === 'renewed';
    const { confirmed, answers } = await renewAtAll(this.arena, value, {
      renew: (i) => this.voter(i).lock.renew(value, ttlMs, nodeLimits),
      confirmed: (sofar) => verdict(sofar, renewed) || undefined,
      decided: (sofar) => isDecided(sofar, renewed),
      lacks: (reply: RenewReply) => reply === 'expired',
      topUp: (i) => this.voter(i).topUp(value, ttlMs, this.quorum.nodeLimits(FOR_EVER)),
      giveBack: (i) => this.voter(i).lock.release(value, this.quorum.nodeLimits(FOR_EVER)),
    });
    if (confirmed) return 'renewed';
    const gone = answered(answers).filter((reply) => reply !== 'renewed');
    if (gone.length <= this.quorum.nodes.length - this.quorum.majority)
      throw this.quorum.error(this, answers, (reply) => reply);
    return gone.includes('lost') ? 'lost' : 'expired';
  }

  async inspect(limits: CallLimits): Promise<LockState> {
    await this.quorum.ready(this, limits);
    const nodeLimits = this.quorum.nodeLimits(limits);
    const inspected = (i: number) => this.voter(i).lock.inspect(nodeLimits);
    const answers = await this.quorum.ask({ ask: inspected, decided: never });
    const states = answered(answers);
    if (states.length < this.quorum.majority) throw this.quorum.error(this, answers, ({ state }) => state);
    return majorityState(states, this.quorum.majority);
  }

  async forceRelease(fencingToken: number | undefined, limits: CallLimits): Promise<ReleaseReply> {
    return await forceReleaseAtAll(this.quorum, this, limits, {
      valueAt: (i, nodeLimits) => this.voter(i).lock.value(nodeLimits),
      fencingToken,
      release: (i, value, stamp, nodeLimits) => this.voter(i).release(value, stamp, nodeLimits),
    });
  }

  private voter(index: number): RedisVoter {
    return at(this.voters, index);
  }
}

/** `yours` when the release before had kept it for this waiter. */
function grantOf(
  { stamp, ttlMs }: Ballot,
  answers: readonly Answer<Vote>[],
  startedAt: number,
): GrantedReply {
  const kept = answered(answers).some((vote) => vote.kind === 'yes' && vote.kept);
  return { status: kept ? 'yours' : 'granted', fencingToken: stamp, leaseMs: ttlMs, startedAt };
}
