/**
 * The short way to a free lock: two plain commands in one write, about half the server's time of a script.
 *
 *     SET lock holderId:stamp NX PX ttl GET      takes the lock if it is free
 *     ZADD fence XX GT CH stamp alone            raises the fence, if the stamp is newer and nobody waits
 *
 * Both succeeded: the lease is ours and `stamp` is its fencing token. Otherwise the script decides: it recognises its
 * own holderId. Only clients that keep the order have `sendPair`: the fence must not be raised before the lock is taken.
 * Beyond that nothing depends on the two being one step: tokens of successive grants grow because each one is newer than
 * the fence at some moment between its request and its reply; and were there other commands in between for longer than
 * the ttl, then our own clock says that the lease is over.
 *
 * The stamp is a lower bound of the server's clock, from its last answer. So no token is ever ahead of the server's
 * clock, and when the fence is lost with all data, the clock alone makes later tokens greater (the script reads it).
 *
 * A server that comes back with *older* data has an older fence, and would take an older stamp. No server comes back within
 * the time of a prompt answer, so the stamp of a slow one, or of one that a lost connection came in between, is not used.
 */
import type { Client, Command } from '../client.ts';
import type { Clock } from '../clock.ts';
import { withDeadline } from '../deadline.ts';
import { HOLDER_MARK } from '../holder-id.ts';
import type { LockKeys } from '../keys.ts';
import { scripts } from '../lua/generated.ts';
import type { Outgoing } from './outgoing.ts';
import type { AcquireReply, AcquireRequest, CallLimits, GrantedReply } from './store.ts';

/** The two clocks may drift apart by this much without the stamp overtaking the server. */
const DRIFT = 1 / 1000;
/** An older reading of the server's clock is not used: the stamp would lag by too much. */
const MAX_AGE_MS = 1_000;

/** A server that died is not back, and reconnected to, sooner. */
const PROMPT_MS = 50;
/** Over a slow network the script is used at once, which costs one round trip instead of two. */
const SLOW_IN_A_ROW = 3;
const SLOW_FOR_MS = 30_000;

/** Both commands said yes. No value of a lock. */
export const TAKEN = '';

export interface Offer {
  /** `holderId:stamp` */
  readonly value: string;
  readonly ttlMs: number;
  /** The fencing token, if it is accepted. */
  readonly stamp: number;
}

type Both = [before: unknown, raised: unknown];

/** A fence lives at least a day; the pair cannot make it live longer, a script can. */
const KNOWN_MS = 12 * 3_600_000;
/** So many names are remembered. */
const MAX_KNOWN = 10_000;

export class PlainPair {
  /** Names whose fence is there: for others the pair would fail, and cost a round trip before the script. The oldest first. */
  private readonly known = new Map<string, number>();
  private serverUs = 0;
  private readAt = Number.NEGATIVE_INFINITY;
  private readAtDrops = 0;
  private lastStamp = 0;
  private slowInARow = 0;
  private slowUntil = Number.NEGATIVE_INFINITY;
  private supported = true;

  constructor(
    private readonly client: Client,
    private readonly outgoing: Outgoing,
    private readonly clock: Clock,
    private readonly commandTimeoutMs: number,
  ) {
    // In a cluster every node has a clock of its own.
    this.supported = !client.cluster;
  }

  /** A reading of the server's clock, or a token that it gave out, arrived just now. */
  learn(serverUs: number): void {
    this.serverUs = serverUs;
    this.readAt = this.clock.now();
    this.readAtDrops = this.client.drops;
  }

  /** That lock was granted, so its fence is there, for about a day. */
  knows(lock: string): void {
    this.known.delete(lock);
    this.known.set(lock, this.clock.now());
    if (this.known.size <= MAX_KNOWN) return;
    for (const oldest of this.known.keys()) {
      this.known.delete(oldest);
      return;
    }
  }

  /** `undefined` when the script has to decide. `late` as in `Holdable.acquire`. */
  async acquire(
    keys: LockKeys,
    request: AcquireRequest,
    limits: CallLimits,
    late: (grant: GrantedReply) => void,
  ): Promise<AcquireReply | undefined> {
    const sentAt = this.clock.now();
    const stamp = sentAt < this.slowUntil ? undefined : this.stamp();
    if (stamp === undefined) return undefined;
    const { drops } = this.client;
    const { holderId, ttlMs } = request;
    const both = this.send(keys, { value: `${holderId}:${stamp}`, ttlMs, stamp });
    if (both === undefined) return undefined;
    const granted = { status: 'granted', fencingToken: stamp, leaseMs: ttlMs } as const;
    const ms = Math.min(this.commandTimeoutMs, limits.deadlineAt - sentAt);
    const lateGrant = ([before]: Both) => before === null && late(granted);
    const found = await this.read(withDeadline(both, ms, lateGrant), holderId);
    const prompt = this.isPrompt(this.clock.now() - sentAt) && this.client.drops === drops;
    if (found === undefined) return undefined;
    if (found === TAKEN) return prompt ? granted : undefined;
    return { status: 'busy', remainingMs: -1, foreign: !found.startsWith(HOLDER_MARK) };
  }

  /** The pair with this stamp, for `read`; `undefined` when the script has to decide. */
  send(keys: LockKeys, offer: Offer): Promise<Both> | undefined {
    const { client, supported } = this;
    const knownAt = this.known.get(keys.lock) ?? Number.NEGATIVE_INFINITY;
    if (!supported || client.sendPair === undefined || this.clock.now() - knownAt > KNOWN_MS)
      return undefined;
    const { value, ttlMs, stamp } = offer;
    const args = [value, String(ttlMs), String(stamp)];
    const alone = () => Promise.all(client.sendPair?.(...pairOf(keys, offer)) ?? []);
    return this.outgoing.together(scripts.take, [keys.lock, keys.fence], args, alone) as Promise<Both>;
  }

  /** `TAKEN`, or the value in its way, or `undefined` when the script has to decide. */
  async read(both: Promise<Both>, holderId: string): Promise<typeof TAKEN | string | undefined> {
    try {
      return answer(await both, holderId);
    } catch (error) {
      // Redis before 7.0 does not know NX with GET.
      if (error instanceof Error && /syntax error/i.test(error.message)) this.supported = false;
      return undefined;
    }
  }

  private isPrompt(tookMs: number): boolean {
    this.slowInARow = tookMs > PROMPT_MS ? this.slowInARow + 1 : 0;
    if (this.slowInARow >= SLOW_IN_A_ROW) this.slowUntil = this.clock.now() + SLOW_FOR_MS;
    return this.slowInARow === 0;
  }

  private stamp(): number | undefined {
    const age = this.clock.now() - this.readAt;
    if (age > MAX_AGE_MS || this.client.drops !== this.readAtDrops) return undefined;
    this.lastStamp = Math.max(this.lastStamp + 1, Math.floor(this.serverUs + age * 1000 * (1 - DRIFT)));
    return this.lastStamp;
  }
}

function pairOf(keys: LockKeys, { value, ttlMs, stamp }: Offer): [Command, Command] {
  return [
    { name: 'SET', keys: [keys.lock], tail: [value, 'NX', 'PX', String(ttlMs), 'GET'] },
    { name: 'ZADD', keys: [keys.fence], tail: ['XX', 'GT', 'CH', String(stamp), 'alone'] },
  ];
}

function answer([before, raised]: Both, holderId: string): typeof TAKEN | string | undefined {
  if (before === null) return Number(raised) === 1 ? TAKEN : undefined;
  const value = String(before);
  return value.startsWith(holderId) ? undefined : value;
}
