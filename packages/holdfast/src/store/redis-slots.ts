/** One node of a quorum: its votes on an attempt to take slots of a semaphore. See `lua/slots-vote.lua`. */
import { argumentError, noLimitText, prefixed, type Subject } from '../errors.ts';
import type { SemaphoreKeys } from '../keys.ts';
import { scripts } from '../lua/generated.ts';
import { tooManyPermits } from '../options.ts';
import type { Script } from './outgoing.ts';
import type { Ballot } from './redis-voter.ts';
import { QUEUE_TTL_MS, rows, texts } from './replies.ts';
import type { ScriptRunner } from './script-runner.ts';
import {
  type CallLimits,
  type EntryKind,
  entryText,
  parseSlots,
  type QueueEntry,
  type ReleaseReply,
} from './store.ts';

export interface SlotsBallot extends Ballot {
  readonly limit: number | undefined;
  readonly permits: number;
  /** Which are proposed. */
  readonly slots: readonly number[];
}

export interface SlotsVote {
  readonly serverUs: number;
  readonly limit: number;
  readonly accepted: readonly number[];
  /** When not all were accepted: those that this holder could have here. */
  readonly free: readonly number[];
  /** The highest fence that was in the way. */
  readonly fence: number;
  /** Until the first of the others ends; below 0: there is none. */
  readonly remainingMs: number;
  readonly rank: number;
  readonly isNew: boolean;
}

export interface SlotsState {
  readonly serverUs: number;
  readonly limit: number | undefined;
  readonly queueLength: number;
  readonly held: readonly HeldSlot[];
  readonly waiters: readonly {
    readonly clientId: string;
    readonly permits: number;
    readonly waitedMs: number;
  }[];
}

interface HeldSlot {
  readonly slot: number;
  readonly clientId: string;
  readonly fencingToken: number;
  readonly remainingMs: number;
}

export class RedisSlots implements Subject {
  readonly kind = 'semaphore';
  readonly name: string;

  constructor(
    private readonly runner: ScriptRunner,
    private readonly keys: SemaphoreKeys,
    private readonly channelOf: (mainKey: string) => string,
    private readonly kindInQueue: EntryKind,
  ) {
    this.name = keys.name;
  }

  get key(): string {
    return this.keys.permits;
  }

  get channel(): string {
    return this.channelOf(this.key);
  }

  async vote(ballot: SlotsBallot, limits: CallLimits): Promise<SlotsVote> {
    const { holderId, ttlMs, stamp, limit, permits, slots, entry, ticket = '' } = ballot;
    const args = [
      ...[holderId, String(ttlMs), String(stamp), limit === undefined ? '' : String(limit), String(permits)],
      ...[slots.join(','), this.member(entry, permits), ticket, String(QUEUE_TTL_MS)],
    ];
    const reply = texts(await this.run(scripts.slotsVote, args, limits));
    const [status, nowUs, stored, accepted, free, fence, remainingMs, rank, isNew] = reply;
    if (status === 'no limit') throw argumentError(prefixed(this, noLimitText()));
    if (status === 'too many') throw tooManyPermits(permits, Number(stored));
    return {
      serverUs: Number(nowUs),
      limit: Number(stored),
      accepted: parseSlots(accepted) ?? [],
      free: parseSlots(free) ?? [],
      fence: Number(fence),
      remainingMs: Number(remainingMs),
      rank: Number(rank),
      isNew: isNew === '1',
    };
  }

  async release(
    value: string,
    stamp: number,
    permits: number,
    limits: CallLimits,
    entry?: QueueEntry,
  ): Promise<ReleaseReply> {
    const args = [value, String(stamp), this.member(entry, permits), '', ''];
    return String(await this.run(scripts.slotsRelease, args, limits)) as ReleaseReply;
  }

  /** Takes the votes for an attempt back; the waiter keeps its place. */
  async retract(
    value: string,
    permits: number,
    entry: QueueEntry,
    ticket: string,
    limits: CallLimits,
  ): Promise<void> {
    const args = [value, '', this.member(entry, permits), ticket, String(QUEUE_TTL_MS)];
    await this.run(scripts.slotsRelease, args, limits);
  }

  /** The slots that are this holder's still. */
  async renew(value: string, ttlMs: number, limits: CallLimits): Promise<readonly number[]> {
    const args = [value, String(ttlMs)];
    return parseSlots(String(await this.run(scripts.slotsRenew, args, limits))) ?? [];
  }

  async topUp(value: string, ttlMs: number, slots: readonly number[], limits: CallLimits): Promise<void> {
    await this.run(scripts.slotsTopUp, [value, String(ttlMs), slots.join(',')], limits);
  }

  /** `holderId:token` of the lease with that token, when it has a slot here. */
  async valueOf(fencingToken: number, limits: CallLimits): Promise<string | undefined> {
    const call = { ...limits, subject: this };
    const value = await this.runner.script(scripts.slotsLease, [this.key], [String(fencingToken)], call);
    return String(value) || undefined;
  }

  async setLimit(limit: number, stamp: number, limits: CallLimits): Promise<void> {
    await this.run(scripts.slotsLimit, [String(limit), String(stamp)], limits);
  }

  async inspect(limits: CallLimits): Promise<SlotsState> {
    const reply = (await this.run(scripts.slotsInspect, [], limits)) as unknown[];
    const [nowUs, limit, queueLength, held, waiters] = reply;
    const serverUs = Number(nowUs);
    return {
      serverUs,
      limit: limit === '' ? undefined : Number(limit),
      queueLength: Number(queueLength),
      held: rows(held, 4).map(([slot, clientId = '', token, endsUs]) => ({
        slot: Number(slot),
        clientId,
        fencingToken: Number(token),
        remainingMs: (Number(endsUs) - serverUs) / 1000,
      })),
      waiters: rows(waiters, 3).map(([clientId = '', permits, ticket]) => ({
        clientId,
        permits: Number(permits),
        waitedMs: Math.max(0, (serverUs - Number(ticket)) / 1000),
      })),
    };
  }

  private member(entry: QueueEntry | undefined, permits: number): string {
    if (entry === undefined) return '';
    return entryText({ ...entry, channel: this.channel }, this.kindInQueue, `${permits} 1 `);
  }

  private run(script: Script, args: readonly string[], limits: CallLimits): Promise<unknown> {
    const { permits, waiters } = this.keys;
    return this.runner.script(script, [permits, waiters], args, { ...limits, subject: this });
  }
}
