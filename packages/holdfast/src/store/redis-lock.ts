/** The lock on a real server: the plain pair where it can, else one script per operation. */
import { GivenUpError } from '../errors.ts';
import type { Guarded } from '../guard.ts';
import { tokenIn } from '../holder-id.ts';
import type { LockKeys } from '../keys.ts';
import { scripts } from '../lua/generated.ts';
import type { PlainPair } from './plain-pair.ts';
import type { RedisGuard } from './redis-guard.ts';
import { grantedReply, QUEUE_TTL_MS, queuedReply, rows, texts } from './replies.ts';
import type { ScriptRunner } from './script-runner.ts';
import {
  type AcquireReply,
  type AcquireRequest,
  type CallLimits,
  type EntryKind,
  entryText,
  type GrantedReply,
  type Guarding,
  type GuardReply,
  isGrant,
  type LockState,
  type QueueEntry,
  type ReleaseReply,
  type RenewReply,
  type StoredLock,
} from './store.ts';

export class RedisLock implements StoredLock {
  readonly kind = 'lock';
  readonly shared = false;
  readonly name: string;
  readonly key: string;
  readonly threeKeys: readonly string[];

  constructor(
    readonly runner: ScriptRunner,
    readonly pair: PlainPair,
    readonly keys: LockKeys,
    private readonly channelOf: (mainKey: string) => string,
    private readonly kindInQueue: EntryKind,
    private readonly guarded: RedisGuard,
  ) {
    this.name = keys.name;
    this.key = keys.lock;
    this.threeKeys = [keys.lock, keys.fence, keys.queue];
  }

  get channel(): string {
    return this.channelOf(this.key);
  }

  async acquire(
    request: AcquireRequest,
    limits: CallLimits,
    late: (grant: GrantedReply) => void,
  ): Promise<AcquireReply> {
    if (request.entry === undefined) {
      const reply = await this.pair.acquire(this.keys, request, limits, late);
      if (reply !== undefined) return reply;
      if (limits.unwanted?.()) throw new GivenUpError(this);
    }
    const member = request.entry === undefined ? '' : this.member(request.entry);
    const args = [
      request.holderId,
      String(request.ttlMs),
      member,
      request.ticket ?? '',
      String(QUEUE_TTL_MS),
    ];
    const lateGrant = (raw: unknown) => {
      const reply = acquireReply(raw);
      if (isGrant(reply)) late(reply);
    };
    const call = { ...limits, subject: this, late: lateGrant };
    const reply = acquireReply(await this.runner.script(scripts.acquire, this.threeKeys, args, call));
    this.learn(reply);
    return reply;
  }

  /** @param stamp what a waiter of a quorum gets as its token */
  async release(
    value: string,
    limits: CallLimits,
    entry?: QueueEntry,
    stamp?: string,
  ): Promise<ReleaseReply> {
    const args = [value];
    if (entry !== undefined || stamp !== undefined) args.push(entry === undefined ? '' : this.member(entry));
    if (stamp !== undefined) args.push(stamp);
    const call = { ...limits, subject: this };
    // Each 'more' has dropped 500 dead waiters, so this ends.
    for (;;) {
      const reply = String(await this.runner.script(scripts.release, this.threeKeys, args, call));
      if (reply !== 'more') return reply as ReleaseReply;
    }
  }

  async renew(value: string, ttlMs: number, limits: CallLimits): Promise<RenewReply> {
    const call = { ...limits, subject: this };
    return String(
      await this.runner.script(scripts.renew, [this.key], [value, String(ttlMs)], call),
    ) as RenewReply;
  }

  guard(guarding: Guarding, commands: readonly Guarded[], limits: CallLimits): Promise<GuardReply> {
    return this.guarded.run(this, guarding, commands, limits);
  }

  /** How that waiter stands in this server's queue. */
  member(entry: QueueEntry): string {
    return entryText({ ...entry, channel: this.channel }, this.kindInQueue);
  }

  async inspect(limits: CallLimits): Promise<LockState> {
    const call = { ...limits, subject: this };
    const reply = (await this.runner.script(scripts.inspect, this.threeKeys, [], call)) as unknown[];
    const [state, clientId, remainingMs, token, queueLength, nowUs] = texts(reply.slice(0, 6));
    const serverUs = Number(nowUs);
    return {
      state: state as LockState['state'],
      clientId: clientId ?? '',
      remainingMs: Number(remainingMs),
      fencingToken: token === '' ? undefined : Number(token),
      queueLength: Number(queueLength),
      waiters: rows(reply[6], 2).map(([its = '', ticket]) => ({
        clientId: its,
        waitedMs: Math.max(0, (serverUs - Number(ticket)) / 1000),
      })),
      serverUs,
    };
  }

  /** What is there now, whosever it is. */
  async value(limits: CallLimits): Promise<string | undefined> {
    const call = { ...limits, subject: this };
    const value = await this.runner.command({ name: 'GET', keys: [this.key] }, call);
    return value === null || value === undefined ? undefined : String(value);
  }

  /** Compares twice: the token here, and the whole value in the script that deletes it. */
  async forceRelease(fencingToken: number | undefined, limits: CallLimits): Promise<ReleaseReply> {
    const value = await this.value(limits);
    if (value === undefined) return 'expired';
    if (fencingToken !== undefined && tokenIn(value) !== fencingToken) return 'lost';
    return await this.release(value, limits);
  }

  /** A token is never behind the server's clock when it is fresh, nor ahead of it unless that stepped back. */
  learn(reply: AcquireReply): void {
    if (isGrant(reply)) this.pair.knows(this.key);
    if (reply.status === 'granted') this.pair.learn(reply.fencingToken);
    if (reply.status === 'queued') this.pair.learn(reply.serverUs);
  }
}

export function acquireReply(reply: unknown): AcquireReply {
  const [status = '', ...rest] = texts(reply);
  if (status === 'granted' || status === 'yours') return grantedReply(status, rest);
  const [remainingMs, foreign, ...standing] = rest;
  const inTheWay = { remainingMs: Number(remainingMs), foreign: foreign === '1' };
  return status === 'queued' ? queuedReply(inTheWay, standing) : { status: 'busy', ...inTheWay };
}
