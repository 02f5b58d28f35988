/**
 * The store seam: one method per atomic operation, answers as discriminated unions. `RedisStore` runs the scripts on a
 * server, `MemoryStore` does the same in this process; everything above cannot tell them apart.
 */
import type { Subscriber, SubscriberEvents } from '../client.ts';
import type { Subject } from '../errors.ts';
import type { QueueEntry } from '../grant.ts';
import type { Guarded } from '../guard.ts';

export type { QueueEntry };

export interface AcquireRequest {
  /** Of this acquisition. The lease's value will be `holderId:fencingToken`. */
  readonly holderId: string;
  readonly ttlMs: number;
  /** Join the queue when the lock is taken. */
  readonly entry?: QueueEntry | undefined;
  /** The place that an earlier join gave; kept when the queue was lost meanwhile. */
  readonly ticket?: string | undefined;
}

/** What a refused acquire learns about the lease in its way (of a semaphore: the one that ends first). */
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
  /** The slots of a semaphore that has them. */
  readonly slots?: readonly number[] | undefined;
  /** When the request that got it was sent, where the call had sent others before. */
  readonly startedAt?: number | undefined;
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
  readonly slots?: readonly number[] | undefined;
}

export interface LockState {
  readonly state: 'free' | 'ours' | 'foreign';
  readonly clientId: string;
  readonly remainingMs: number;
  readonly fencingToken: number | undefined;
  readonly queueLength: number;
  /** The first of the queue. */
  readonly waiters: readonly { readonly clientId: string; readonly waitedMs: number }[];
  readonly serverUs: number;
}

export interface CallLimits {
  /** Passing failures are retried until then (monotonic, ms). */
  readonly deadlineAt: number;
  /** The caller keeps the deadline: the call settles with whatever comes, however late. */
  readonly untimed?: boolean | undefined;
  /** Asked before a retry: whether nobody wants the answer any more. */
  readonly unwanted?: (() => boolean) | undefined;
  /** Called when it is certain that it was not to be had at first, while it is being tried further. */
  readonly refused?: (() => void) | undefined;
  /** Called before it is sent again after it got no answer: the server may have done it already. */
  readonly resent?: (() => void) | undefined;
}

/** One name on the server, as something that is acquired, waited for, renewed and released. */
export interface Holdable extends Subject {
  /** Its main key: tells it from all others. */
  readonly key: string;
  /** Several may hold it at once. */
  readonly shared: boolean;
  /** Where this process hears of its grants. */
  readonly channel: string;
  /** Of several that are taken together. */
  readonly names?: readonly string[];
  /** So many of a semaphore's; of a read-write lock the weight that is wanted. */
  readonly permits?: number;
  /** The server keeps a lease for so long beyond what its holder is told. */
  readonly cooldownMs?: number;
  /** On several servers, each with a queue of its own: whoever waited leaves all of them with its release. */
  readonly manyQueues?: true;
  /** `late` is called when it was granted after the deadline had passed. */
  acquire(
    request: AcquireRequest,
    limits: CallLimits,
    late: (grant: GrantedReply) => void,
  ): Promise<AcquireReply>;
  /**
   * With an entry also leaves the queue.
   * @param value `holderId:fencingToken`, or the holderId alone when its token is not known
   */
  release(value: string, limits: CallLimits, entry?: QueueEntry): Promise<ReleaseReply>;
  renew(value: string, ttlMs: number, limits: CallLimits): Promise<RenewReply>;
  /** Runs these if the lease is held. Only an exclusive lock on one server can. */
  readonly guard?:
    | ((guarding: Guarding, commands: readonly Guarded[], limits: CallLimits) => Promise<GuardReply>)
    | undefined;
}

/** A guarded call: the lease's value, the call's number among those of the lease, and how long the server keeps the lease beyond its end. */
export interface Guarding {
  readonly value: string;
  readonly number: number;
  readonly cooldownMs: number;
}

/** `again`: it was done before, and its replies are lost. */
export interface GuardReply {
  readonly status: 'done' | 'again' | 'lost' | 'expired';
  readonly replies: readonly unknown[];
}

export interface StoredLock extends Holdable {
  inspect(limits: CallLimits): Promise<LockState>;
  /** Releases the lease with that token for its holder; without a token whatever is there. */
  forceRelease(fencingToken: number | undefined, limits: CallLimits): Promise<ReleaseReply>;
}

/** Both clients and the stored limit of a semaphore, as one script saw them. */
export interface SemaphoreState {
  /** `undefined` when nobody has set one. */
  readonly limit: number | undefined;
  /** Permits of all leases that have not ended. */
  readonly held: number;
  /** Those that have not ended, the first to end first. */
  readonly leases: readonly SemaphoreHold[];
  readonly queueLength: number;
  /** The first of the queue. */
  readonly waiters: readonly {
    readonly clientId: string;
    readonly permits: number;
    readonly waitedMs: number;
  }[];
  /** The server's clock, in µs. */
  readonly serverUs: number;
}

export interface SemaphoreHold {
  readonly clientId: string;
  readonly permits: number;
  readonly fencingToken: number;
  readonly remainingMs: number;
  readonly slots: readonly number[];
}

export interface SemaphoreRules {
  /** What the caller believes; the stored one wins. */
  readonly limit: number | undefined;
  /** Each permit gets a slot of its own. */
  readonly slots: boolean;
  /** Called when the stored limit is another one. */
  readonly limitDiffers: (stored: number) => void;
}

export interface StoredSemaphore extends Subject {
  /** So many permits of it. Rejects with a `RangeError` when the stored limit is lower. */
  permits(count: number): Holdable;
  inspect(limits: CallLimits): Promise<SemaphoreState>;
  setLimit(limit: number, limits: CallLimits): Promise<void>;
  /** Releases the lease with that token for its holder. */
  forceRelease(fencingToken: number, limits: CallLimits): Promise<ReleaseReply>;
}

/** What somebody wants. Without a number of permits all who hold any are in the way; otherwise nobody is while so many are free and nobody waits. */
export interface WantedBy extends Subject {
  readonly permits?: number | undefined;
}

/** Who holds what, and what they wait for, as far as it is noted: for finding deadlocks. */
export interface Waits {
  /** The holderIds of all who are in the way; `undefined` when not all can be known (another library's, too many). */
  holders(wanted: WantedBy, limits: CallLimits): Promise<readonly string[] | undefined>;
  /** `text` is there for so long; `undefined` takes it away. */
  note(digest: string, text: string | undefined, ttlMs: number, limits: CallLimits): Promise<void>;
  noted(digest: string, limits: CallLimits): Promise<string | undefined>;
}

/** What a lease of a read-write lock allows. */
export type ReadWriteMode = 'read' | 'upgradeable' | 'write';

/** Of a read-write lock's leases, which together weigh no more than a writer: see decision 6. */
export const WEIGHTS: Readonly<Record<ReadWriteMode, number>> = {
  read: 1,
  upgradeable: 1_048_576,
  write: 2_097_151,
};
/** What an upgrade adds. */
export const UPGRADE_WEIGHT = WEIGHTS.write - WEIGHTS.upgradeable;

/** A read-write lock, as one script saw it. */
export interface ReadWriteState {
  /** Those that have not ended, the first to end first. */
  readonly leases: readonly ReadWriteHold[];
  readonly queueLength: number;
  /** The first of the queue. */
  readonly waiters: readonly {
    readonly clientId: string;
    readonly wants: ReadWriteMode | 'upgrade';
    readonly waitedMs: number;
  }[];
  /** The server's clock, in µs. */
  readonly serverUs: number;
}

export interface ReadWriteHold {
  readonly clientId: string;
  readonly mode: ReadWriteMode;
  /** Of its upgrade, where it had one. */
  readonly fencingToken: number;
  /** When it was granted, in µs of the server's clock. */
  readonly sinceUs: number;
  readonly remainingMs: number;
}

/** One side of a read-write lock, for one lease. */
export interface ReadWriteHoldable extends Holdable {
  /** What its lease allows now. A renewal of a writer finds `expired` where the server takes it for less: it lost an upgrade in a fail-over. */
  mode: ReadWriteMode;
}

export interface StoredReadWrite extends Subject {
  side(mode: ReadWriteMode): ReadWriteHoldable;
  /**
   * The upgrade of the lease with this value, as something that is waited for. Its release takes it back: the lease may upgrade again.
   * Rejects with a `LeaseLostError` when the server does not know that lease.
   * @param nextNumber gives each attempt a higher number than all before it had
   */
  upgrade(value: string, nextNumber: () => number): Holdable;
  /** Makes a writer, or one that may upgrade, a reader. */
  downgrade(value: string, limits: CallLimits): Promise<'done' | 'gone'>;
  inspect(limits: CallLimits): Promise<ReadWriteState>;
  /** Releases the lease with that token, its own or that of its upgrade, for its holder. */
  forceRelease(fencingToken: number, limits: CallLimits): Promise<ReleaseReply>;
}

/** The number of an attempt, by who waits for it: the same for the same waiter. */
export function attemptNumbers(next: () => number): (holderId: string) => number {
  const known = new Map<string, number>();
  return (holderId) => {
    const number = known.get(holderId) ?? next();
    known.set(holderId, number);
    return number;
  };
}

export interface Store {
  readonly waits: Waits;
  /** Costs nothing. */
  lock(name: string): StoredLock;
  semaphore(name: string, rules: SemaphoreRules): StoredSemaphore;
  /** These locks as one that is acquired in one step and never waited for; `undefined` where they have to be taken one by one. */
  together?(locks: readonly StoredLock[]): Holdable | undefined;
  /** @throws TypeError over a quorum */
  readWrite(name: string): StoredReadWrite;
  /** Writes this process's card, for `inspect`. */
  announce(clientId: string, card: string, limits: CallLimits): Promise<void>;
  card(clientId: string, limits: CallLimits): Promise<string | undefined>;
  listen(events: SubscriberEvents): Promise<Subscriber>;
  /** Proves that a message sent on `channel` can be published; rejects when the user may not. */
  probe(channel: string, limits: CallLimits): Promise<void>;
  /** Grows when commands may have been sent twice by the client. */
  readonly drops: number;
  /** Why nothing can work at all, e.g. a closed client; thrown at once. */
  assertUsable(subject?: Subject): void;
  /** What the owner of the server should know (eviction policy, plain text over a network), one sentence each. */
  advice(limits: CallLimits): Promise<readonly Advice[]>;
  /** So many replicas have to confirm each grant. */
  readonly minReplicas: number;
  /** How many have all that was written so far; resolves after `ms` at the latest. */
  replicas(ms: number, limits: CallLimits): Promise<number>;
  detach(): void;
}

export interface Advice {
  readonly code: string;
  readonly message: string;
}

export function isGrant(reply: AcquireReply): reply is GrantedReply {
  return reply.status === 'granted' || reply.status === 'yours';
}

/** How a waiter is told: on a plain channel or a sharded one; by one server, or as one of a quorum. */
export type EntryKind = 'p' | 's' | 'q' | 'r';

export function entryKind(sharded: boolean, quorum: boolean): EntryKind {
  if (quorum) return sharded ? 'r' : 'q';
  return sharded ? 's' : 'p';
}

/**
 * The entry as it stands in the queue: `holderId leaseMs kind channel`; in the queue of a semaphore or a read-write lock the kind stands
 * behind what is wanted: `permits slots`, or the mode.
 */
export function entryText({ holderId, leaseMs, channel }: QueueEntry, kind: EntryKind, wants = ''): string {
  return `${holderId} ${leaseMs} ${wants}${kind} ${channel}`;
}

/** Longer messages are none of ours: they are not parsed. */
const MAX_MESSAGE_LENGTH = 8_200;

/** What a process is told about one of its waiters. */
export type Message =
  | { readonly kind: 'grant'; readonly grant: GrantMessage }
  /** It will not be served as it is; the server has the reason. */
  | { readonly kind: 'ask'; readonly holderId: string };

/** `undefined` for anything else that came over the channel. */
export function parseMessage(text: string): Message | undefined {
  if (text.length > MAX_MESSAGE_LENGTH) return undefined;
  const match = /^(\S+) (?:ask|(\d{1,16}) (\d{1,16}) (\d{1,10})(?: (\d+(?:,\d+)*))?)$/.exec(text);
  if (match === null) return undefined;
  const [, holderId = '', token, startedUs, leaseMs, slots] = match;
  if (token === undefined) return { kind: 'ask', holderId };
  const times = { startedUs: Number(startedUs), leaseMs: Number(leaseMs) };
  return {
    kind: 'grant',
    grant: { holderId, fencingToken: Number(token), ...times, slots: parseSlots(slots) },
  };
}

/** `3,4,7`; `undefined` when there are none. */
export function parseSlots(text: string | undefined): readonly number[] | undefined {
  return text === undefined || text === '' ? undefined : text.split(',').map(Number);
}
