/**
 * The store seam: one method per atomic operation, answers as discriminated unions. `RedisStore` runs the scripts on a
 * server, `MemoryStore` does the same in this process; everything above cannot tell them apart.
 */
import type { Subscriber, SubscriberEvents } from '../client.ts';
import type { LockKeys } from '../keys.ts';

/** How a waiter stands in the queue. */
export interface QueueEntry {
  readonly holderId: string;
  /** How long the lease lasts that a hand-off writes for it; the first renewal makes it full. */
  readonly leaseMs: number;
  /** Where its process listens. */
  readonly channel: string;
}

export interface AcquireRequest {
  /** Of this acquisition. The lock's value will be `holderId:fencingToken`. */
  readonly holderId: string;
  readonly ttlMs: number;
  /** Join the queue when the lock is taken. */
  readonly entry?: QueueEntry | undefined;
  /** The place that an earlier join gave; kept when the queue was lost meanwhile. */
  readonly ticket?: string | undefined;
}

/** What a refused acquire learns about the lease in its way. */
interface InTheWay {
  /** Remaining time of the lease; below 0 when there is none, it has no expiry, or it was not asked for. */
  readonly remainingMs: number;
  /** Held by another library, whose release hands nothing over. */
  readonly foreign: boolean;
}

/** `granted` just now; `yours`: this holderId held it already, since a command was sent twice or a message got lost. */
export interface GrantedReply {
  readonly status: 'granted' | 'yours';
  readonly fencingToken: number;
  readonly leaseMs: number;
}

export type AcquireReply =
  | GrantedReply
  | ({ readonly status: 'busy' } & InTheWay)
  | ({
      readonly status: 'queued';
      readonly ticket: string;
      /** How many wait in front. */
      readonly rank: number;
      /** Was not in the queue before this call. */
      readonly isNew: boolean;
      /** The server's clock at this reply, in µs. */
      readonly serverUs: number;
    } & InTheWay);

/**
 * `given`: released, and the next waiter is the holder now; `mute`: released, but a waiter could not be told, for want of the
 * right to publish; `expired`: nobody holds it; `lost`: another does.
 */
export type ReleaseReply = 'released' | 'given' | 'mute' | 'expired' | 'lost';
export type RenewReply = 'renewed' | 'expired' | 'lost';

/** A grant that a hand-off sent to a waiter. */
export interface GrantMessage {
  readonly holderId: string;
  readonly fencingToken: number;
  /** The server's clock when the lease began, in µs. */
  readonly startedUs: number;
  readonly leaseMs: number;
}

export interface LockState {
  readonly state: 'free' | 'ours' | 'foreign';
  readonly clientId: string;
  readonly remainingMs: number;
  readonly fencingToken: number | undefined;
  readonly queueLength: number;
  readonly serverUs: number;
}

export interface CallLimits {
  /** Passing failures are retried until then (monotonic, ms). */
  readonly deadlineAt: number;
  /** Asked before a retry: whether nobody wants the answer any more. */
  readonly unwanted?: (() => boolean) | undefined;
}

export interface LockStore {
  keys(name: string): LockKeys;
  /** Where this process hears of grants for that lock. */
  channel(keys: LockKeys): string;
  /** `late` is called when it was granted after the deadline had passed. */
  acquire(
    keys: LockKeys,
    request: AcquireRequest,
    limits: CallLimits,
    late: (grant: GrantedReply) => void,
  ): Promise<AcquireReply>;
  /**
   * With an entry also leaves the queue.
   * @param value `holderId:fencingToken`, or the holderId alone when its token is not known
   */
  release(keys: LockKeys, value: string, limits: CallLimits, entry?: QueueEntry): Promise<ReleaseReply>;
  renew(keys: LockKeys, value: string, ttlMs: number, limits: CallLimits): Promise<RenewReply>;
  inspect(keys: LockKeys, limits: CallLimits): Promise<LockState>;
  /** Writes this process's card, for `inspect`. */
  announce(clientId: string, card: string, limits: CallLimits): Promise<void>;
  card(clientId: string, limits: CallLimits): Promise<string | undefined>;
  listen(events: SubscriberEvents): Promise<Subscriber>;
  /** Proves that a message sent on `channel` can be published; rejects when the user may not. */
  probe(channel: string, limits: CallLimits): Promise<void>;
  /** Grows when commands may have been sent twice by the client. */
  readonly drops: number;
  /** Why nothing can work at all, e.g. a closed client; thrown at once. */
  assertUsable(lockName?: string): void;
  /** What the owner of the server should know (eviction policy, plain text over a network), one sentence each. */
  advice(limits: CallLimits): Promise<readonly Advice[]>;
  detach(): void;
}

export interface Advice {
  readonly code: string;
  readonly message: string;
}

export function isGrant(reply: AcquireReply): reply is GrantedReply {
  return reply.status === 'granted' || reply.status === 'yours';
}

/** The entry as it stands in the queue: `holderId leaseMs kind channel`, kind `s` for a sharded channel. */
export function entryText(entry: QueueEntry, sharded: boolean): string {
  return `${entry.holderId} ${entry.leaseMs} ${sharded ? 's' : 'p'} ${entry.channel}`;
}

/** Longer messages are none of ours: they are not parsed. */
const MAX_GRANT_LENGTH = 200;

/** A grant, or `undefined` for anything else that came over the channel. */
export function parseGrant(text: string): GrantMessage | undefined {
  if (text.length > MAX_GRANT_LENGTH) return undefined;
  const match = /^(\S+) (\d{1,16}) (\d{1,16}) (\d{1,10})$/.exec(text);
  if (match === null) return undefined;
  const [, holderId = '', token, startedUs, leaseMs] = match;
  return { holderId, fencingToken: Number(token), startedUs: Number(startedUs), leaseMs: Number(leaseMs) };
}
