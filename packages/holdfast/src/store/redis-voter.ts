/** One node of a quorum: its vote on an attempt to take a lock. See `lua/vote.lua`. */
import { crypto } from '../crypto.ts';
import { GivenUpError } from '../errors.ts';
import { HOLDER_MARK } from '../holder-id.ts';
import { scripts } from '../lua/generated.ts';
import { TAKEN } from './plain-pair.ts';
import type { RedisLock } from './redis-lock.ts';
import { QUEUE_TTL_MS, texts } from './replies.ts';
import type { CallLimits, QueueEntry, ReleaseReply } from './store.ts';

export interface Ballot {
  readonly holderId: string;
  /** `holderId:stamp`: what a node that says yes has as the lock's value. */
  readonly value: string;
  readonly ttlMs: number;
  /** Becomes the fencing token when a majority accepts it. */
  readonly stamp: number;
  /** Joins the queue when it is refused. */
  readonly entry?: QueueEntry | undefined;
  /** Its place in the queue, the same on all nodes. */
  readonly ticket?: string | undefined;
  /** The plain pair may be tried. */
  readonly plain: boolean;
}

export type Vote = { readonly serverUs?: number | undefined } & (
  | {
      readonly kind: 'yes';
      /** The node had kept it for this waiter. */
      readonly kept: boolean;
    }
  /** The stamp is not newer than the node's fence. */
  | { readonly kind: 'stale'; readonly fence: number }
  | {
      readonly kind: 'held';
      /** Tells one holder from another. */
      readonly who: string;
      /** Below 0 when not known. */
      readonly remainingMs: number;
      readonly foreign: boolean;
      readonly rank: number;
      /** Was not in this node's queue before. */
      readonly isNew: boolean;
    }
);

/** The pair's: nothing had been kept. */
const YES: Vote = { kind: 'yes', kept: false };

export class RedisVoter {
  constructor(readonly lock: RedisLock) {}

  async vote(ballot: Ballot, limits: CallLimits): Promise<Vote> {
    const { lock } = this;
    if (ballot.plain && ballot.entry === undefined) {
      const both = lock.pair.send(lock.keys, ballot);
      const found = both && (await lock.pair.read(both, ballot.holderId));
      if (found !== undefined) return found === TAKEN ? YES : heldBy(found);
      if (limits.unwanted?.()) throw new GivenUpError(lock);
    }
    const { holderId, ttlMs, stamp, entry, ticket = '' } = ballot;
    const member = entry === undefined ? '' : lock.member(entry);
    const args = [holderId, String(ttlMs), String(stamp), member, ticket, String(QUEUE_TTL_MS)];
    const call = { ...limits, subject: lock };
    const vote = voteOf(texts(await lock.runner.script(scripts.vote, lock.threeKeys, args, call)));
    if (vote.kind === 'yes') lock.pair.knows(lock.key);
    return vote;
  }

  /** Gives it up, and to the next waiter with `stamp`. */
  release(value: string, stamp: number, limits: CallLimits, entry?: QueueEntry): Promise<ReleaseReply> {
    return this.lock.release(value, limits, entry, String(stamp));
  }

  /** Takes a yes back; the waiter keeps its place. */
  async retract(value: string, entry: QueueEntry, ticket: string, limits: CallLimits): Promise<void> {
    const { lock } = this;
    const args = [value, lock.member(entry), ticket, String(QUEUE_TTL_MS)];
    await lock.runner.script(scripts.retract, lock.threeKeys, args, { ...limits, subject: lock });
  }

  /** For a node that lost its data, while a majority of the others is still ours. */
  async topUp(value: string, ttlMs: number, limits: CallLimits): Promise<void> {
    const { lock } = this;
    const [, token = ''] = value.split(':');
    const keys = lock.threeKeys.slice(0, 2);
    await lock.runner.script(scripts.topUp, keys, [value, String(ttlMs), token], {
      ...limits,
      subject: lock,
    });
  }
}

function voteOf([kind, nowUs, ...rest]: readonly string[]): Vote {
  const serverUs = Number(nowUs);
  if (kind === 'yes') return { kind, serverUs, kept: rest[0] === '1' };
  if (kind === 'stale') return { kind, serverUs, fence: Number(rest[0]) };
  const [who = '', remainingMs, foreign, rank, isNew] = rest;
  return {
    kind: 'held',
    serverUs,
    who,
    remainingMs: Number(remainingMs),
    foreign: foreign === '1',
    rank: Number(rank),
    isNew: isNew === '1',
  };
}

/** What the pair found in its way, told as the script would. How long it lasts is not known. */
function heldBy(value: string): Vote {
  const who = crypto().createHash('sha1').update(value).digest('hex').slice(0, 12);
  const foreign = !value.startsWith(HOLDER_MARK);
  return { kind: 'held', who, remainingMs: -1, foreign, rank: 0, isNew: false };
}
