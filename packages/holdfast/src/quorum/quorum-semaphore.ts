/**
 * A semaphore over a quorum: `limit` numbered slots, each of them a lock of its own that a majority has to give. To count permits at
 * each node and ask a majority whether there is room would not do: with three nodes and a limit of 2 the order of messages alone lets 3 in.
 */
import type { RedisSlots, SlotsBallot, SlotsVote } from '../store/redis-slots.ts';
import type {
  AcquireReply,
  AcquireRequest,
  CallLimits,
  Holdable,
  QueueEntry,
  ReleaseReply,
  RenewReply,
  SemaphoreRules,
  SemaphoreState,
  StoredSemaphore,
} from '../store/store.ts';
import { at } from './at.ts';
import { contest } from './contest.ts';
import { forceReleaseAtAll } from './force-release-at-all.ts';
import { releaseAtAll } from './release-at-all.ts';
import { type Renewal, renewAtAll } from './renew-at-all.ts';
import { type Arena, FOR_EVER, type Rules } from './rules.ts';
import {
  chosenSlots,
  commonLimit,
  couldStill,
  MAX_SLOTS,
  proposed,
  slotsDecided,
  slotsOutcome,
  slotsState,
  tooManySlots,
  wonSlots,
} from './slots.ts';
import { type Answer, answered, isClear, never, standingOf, verdict } from './votes.ts';

export class QuorumSemaphore implements StoredSemaphore {
  readonly kind = 'semaphore';

  constructor(
    readonly name: string,
    readonly arena: Arena,
    readonly nodes: readonly RedisSlots[],
    readonly limits: SemaphoreRules,
  ) {}

  permits(count: number): Holdable {
    return new QuorumPermits(this, count);
  }

  /** At a majority; the later one wins where two cross. */
  async setLimit(limit: number, limits: CallLimits): Promise<void> {
    const { quorum } = this.arena;
    if (limit > MAX_SLOTS) throw tooManySlots(limit);
    await quorum.ready(this, limits);
    const stamp = quorum.stamps.next(0);
    const nodeLimits = quorum.nodeLimits(limits);
    const set = async (i: number) => {
      await this.node(i).setLimit(limit, stamp, nodeLimits);
      return true;
    };
    const answers = await quorum.ask({ ask: set, decided: isClear });
    if (verdict(answers, Boolean) !== true) throw quorum.error(this, answers, () => 'set');
  }

  async inspect(limits: CallLimits): Promise<SemaphoreState> {
    const { quorum } = this.arena;
    await quorum.ready(this, limits);
    const nodeLimits = quorum.nodeLimits(limits);
    const answers = await quorum.ask({ ask: (i) => this.node(i).inspect(nodeLimits), decided: never });
    const states = answered(answers);
    if (states.length < quorum.majority) throw quorum.error(this, answers, () => 'answered');
    return slotsState(states, quorum.majority);
  }

  async forceRelease(fencingToken: number, limits: CallLimits): Promise<ReleaseReply> {
    return await forceReleaseAtAll(this.arena.quorum, this, limits, {
      valueAt: (i, nodeLimits) => this.node(i).valueOf(fencingToken, nodeLimits),
      fencingToken,
      release: (i, value, stamp, nodeLimits) => this.node(i).release(value, stamp, 1, nodeLimits),
    });
  }

  node(index: number): RedisSlots {
    return at(this.nodes, index);
  }
}

class QuorumPermits implements Holdable {
  readonly kind = 'semaphore';
  readonly shared = true;
  readonly manyQueues = true;
  private readonly rules: Rules<SlotsBallot, SlotsVote>;

  constructor(
    private readonly semaphore: QuorumSemaphore,
    readonly permits: number,
  ) {
    const node = (i: number) => semaphore.node(i);
    const { limit } = semaphore.limits;
    this.rules = {
      subject: semaphore,
      ballot: (ballot, last) => ({ ...ballot, limit, permits, slots: this.choose(last) }),
      vote: (i, ballot, limits) => node(i).vote(ballot, limits),
      refused: ({ accepted }) => accepted.length === 0,
      clockOf: ({ serverUs }) => serverUs,
      decided: slotsDecided,
      outcome: slotsOutcome,
      standing: (answers) => standingOf(answered(answers).filter(notAll(permits)), answers.length),
      won: (ballot, answers, startedAt) => this.won(ballot, answers, startedAt),
      said: ({ accepted }) => `${accepted.length} of ${permits} permits`,
      release: (i, value, stamp, limits, entry) => node(i).release(value, stamp, permits, limits, entry),
      retract: (i, value, entry, ticket, limits) => node(i).retract(value, permits, entry, ticket, limits),
    };
  }

  get name(): string {
    return this.semaphore.name;
  }

  get key(): string {
    return this.semaphore.node(0).key;
  }

  get channel(): string {
    return this.semaphore.nodes.map(({ channel }) => channel).join(' ');
  }

  acquire(request: AcquireRequest, limits: CallLimits): Promise<AcquireReply> {
    return contest(this.semaphore.arena, this.rules, request, limits);
  }

  release(value: string, limits: CallLimits, entry?: QueueEntry): Promise<ReleaseReply> {
    return releaseAtAll(this.semaphore.arena, this.rules, value, limits, entry);
  }

  /** Each slot needs its own majority. A node that lost some is then given them back. */
  async renew(value: string, ttlMs: number, limits: CallLimits): Promise<RenewReply> {
    const { quorum } = this.semaphore.arena;
    const nodeLimits = quorum.nodeLimits(limits, ttlMs);
    const node = (i: number) => this.semaphore.node(i);
    const renewal: Renewal<readonly number[], readonly number[]> = {
      renew: (i) => node(i).renew(value, ttlMs, nodeLimits),
      confirmed: (answers) => {
        const slots = proposed(answers, (kept) => kept);
        return slots.length >= this.permits ? slots : undefined;
      },
      decided: () => false,
      lacks: (kept) => kept.length < this.permits,
      topUp: (i, slots) => node(i).topUp(value, ttlMs, slots, quorum.nodeLimits(FOR_EVER)),
      giveBack: (i) =>
        node(i).release(value, quorum.stamps.next(0), this.permits, quorum.nodeLimits(FOR_EVER)),
    };
    const { confirmed, answers } = await renewAtAll(this.semaphore.arena, value, renewal);
    if (confirmed !== undefined) return 'renewed';
    if (answered(answers).length < quorum.majority)
      throw quorum.error(this, answers, (its) => `${its.length} permits`);
    // So few that with all who did not answer it could still be a majority: unknown.
    const open = answers.length - answered(answers).length;
    if (couldStill(answers, this.permits, open))
      throw quorum.error(this, answers, (its) => `${its.length} permits`);
    return 'expired';
  }

  private choose(last: readonly Answer<SlotsVote>[] | undefined): readonly number[] {
    return chosenSlots(this.permits, this.semaphore.limits.limit, last);
  }

  private won(ballot: SlotsBallot, answers: readonly Answer<SlotsVote>[], startedAt: number): AcquireReply {
    const { limit, limitDiffers } = this.semaphore.limits;
    const stored = commonLimit(answered(answers));
    if (stored !== undefined && limit !== undefined && stored !== limit) limitDiffers(stored);
    const slots = wonSlots(answers).slice(0, this.permits);
    return { status: 'granted', fencingToken: ballot.stamp, leaseMs: ballot.ttlMs, startedAt, slots };
  }
}

function notAll(count: number): (vote: SlotsVote) => boolean {
  return ({ accepted }) => accepted.length < count;
}
