/**
 * One acquire that waits. It settles exactly once: by a grant (from a message, or from asking again), by its deadline,
 * by the caller's signal, by `close()`, or by a failure that waiting cannot cure. Whoever gives up takes back what it may have got.
 */
import { onAbort } from '../abort.ts';
import type { Engine } from '../engine.ts';
import { AcquireTimeoutError, ConnectionError } from '../errors.ts';
import { isPassing } from '../failure.ts';
import type { Granted } from '../grant.ts';
import {
  type AcquireReply,
  type GrantedReply,
  type GrantMessage,
  type Holdable,
  isGrant,
  type QueueEntry,
} from '../store/store.ts';
import { type ClockPair, handedOffAt, validUntil } from '../validity.ts';

/** How long a caller that gave up is kept until the server has confirmed that nothing is left behind. */
const UNDO_GRACE_MS = 50;
/** Failures that began less than this before the end of the wait are not the reason for its end. */
const FAILING_MS = 100;
const MAX_TIMER_MS = 2 ** 31 - 1;

export interface WaitRequest {
  readonly target: Holdable;
  readonly entry: QueueEntry;
  readonly ttlMs: number;
  readonly startedAt: number;
  readonly deadlineAt: number;
  /** The first answer may take until then, even when the wait ends before. */
  readonly answerBy: number;
  readonly signal: AbortSignal | undefined;
  /** The server has said already that it is taken. */
  readonly busy: boolean;
}

/** What an ask told, for the group's timer. */
export type Standing = Exclude<AcquireReply, { status: 'granted' | 'yours' | 'busy' }>;

export class Waiter {
  readonly granted: Promise<Granted>;
  /** In the server's queue, as far as we know. */
  joined = false;
  settled = false;
  /** Settled with a lease, for this long at first. */
  leaseMs: number | undefined;
  /** Of the lease that it settled with. */
  acceptedToken: number | undefined;
  asking = false;
  /** A grant waits for a release of this process. Over a quorum another ask would take its place at the nodes. */
  private granting = false;
  private doubts = 0;
  /** The grant with this token, and any before it, is being given back. */
  private declinedToken = 0;
  private ticket: string | undefined;
  private refused: boolean;
  private pair: ClockPair | undefined;
  private lastError: unknown;
  private failingSince = Number.POSITIVE_INFINITY;
  private forgetSignal: () => void = () => {};
  private timer: NodeJS.Timeout;
  private resolve!: (grant: Granted) => void;
  private reject!: (error: unknown) => void;

  constructor(
    private readonly engine: Engine,
    readonly request: WaitRequest,
    private readonly left: (waiter: Waiter) => void,
  ) {
    this.granted = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    const { deadlineAt, signal, busy } = request;
    this.refused = busy;
    const delay = Math.min(MAX_TIMER_MS, Math.max(0, deadlineAt - engine.clock.now()));
    this.timer = setTimeout(this.onTimeout, delay);
    this.forgetSignal = onAbort(signal, () => this.giveUp(signal?.reason));
  }

  get holderId(): string {
    return this.request.entry.holderId;
  }

  /**
   * Asks for the lease, joining the queue or keeping the place in it. One round trip.
   * @returns where it stands now; `undefined` when it is settled or about to be, was asking already, or got no answer
   */
  async ask(): Promise<Standing | undefined> {
    if (this.asking || this.granting || this.settled) return undefined;
    this.asking = true;
    const askedAt = this.engine.clock.now();
    const { doubts } = this;
    try {
      const standing = this.answered(await this.send(askedAt), askedAt);
      this.joined = standing !== undefined && doubts === this.doubts;
      return standing;
    } catch (error) {
      return this.failed(error);
    } finally {
      this.asking = false;
    }
  }

  /** Its place may be gone. An ask under way may have been answered before that, so its answer does not count. */
  doubt(): void {
    this.joined = false;
    this.doubts++;
  }

  /** A grant for this waiter came over its channel. */
  hear(grant: GrantMessage): void {
    const now = this.engine.clock.now();
    const startedAt = handedOffAt(this.pair, grant.startedUs, now, this.request.startedAt);
    const leaseMs = grant.leaseMs - (this.request.target.cooldownMs ?? 0);
    this.grant({ ...grant, leaseMs, startedAt, handedOff: true });
  }

  /** Ends the wait with an error, after taking back what it may have got. */
  giveUp(error: unknown): void {
    if (this.settled) return;
    this.settle();
    const { target, entry } = this.request;
    const undone = this.engine.undo(target, entry.holderId, entry);
    const grace = setTimeout(() => this.reject(error), UNDO_GRACE_MS);
    void undone.then(() => {
      clearTimeout(grace);
      this.reject(error);
    });
  }

  private send(askedAt: number): Promise<AcquireReply> {
    const { target, entry, ttlMs, deadlineAt, answerBy } = this.request;
    const limits = {
      deadlineAt: Math.min(Math.max(deadlineAt, answerBy), askedAt + this.engine.commandTimeoutMs),
      unwanted: () => this.settled,
      refused: () => {
        this.refused = true;
      },
    };
    const ask = { holderId: entry.holderId, ttlMs, entry, ticket: this.ticket };
    const late = (grant: GrantedReply) => void this.answered(grant, askedAt);
    return target.acquire(ask, limits, late);
  }

  private answered(reply: AcquireReply, askedAt: number): Standing | undefined {
    this.failingSince = Number.POSITIVE_INFINITY;
    if (this.settled) {
      this.tidy(reply);
      return undefined;
    }
    if (isGrant(reply)) {
      const { holderId } = this;
      const { status, fencingToken, leaseMs, slots, startedAt = askedAt } = reply;
      const handedOff = status === 'yours';
      this.grant({ holderId, fencingToken, leaseMs, startedAt, handedOff, slots });
      return undefined;
    }
    if (reply.status === 'busy') return undefined;
    this.pair = { ours: askedAt, serverUs: reply.serverUs };
    this.ticket = reply.ticket;
    if (this.engine.clock.now() >= this.request.deadlineAt) this.onTimeout();
    return reply;
  }

  /** The answer crossed the end of the wait. A grant other than the one that ended it belongs to nobody. */
  private tidy(reply: AcquireReply): void {
    if (!isGrant(reply) || reply.fencingToken === this.acceptedToken) return;
    void this.engine.undo(this.request.target, `${this.holderId}:${reply.fencingToken}`);
  }

  private failed(error: unknown): undefined {
    this.lastError = error;
    this.failingSince = Math.min(this.failingSince, this.engine.clock.now());
    if (!isPassing(error)) this.giveUp(error);
    return undefined;
  }

  private grant(grant: Granted): void {
    const pending = this.engine.pendingRelease(this.request.target);
    if (pending === undefined) this.accept(grant);
    else void this.acceptAfter(pending, grant);
  }

  private async acceptAfter(release: Promise<void>, grant: Granted): Promise<void> {
    this.granting = true;
    await release;
    this.granting = false;
    this.accept(grant);
  }

  private accept(grant: Granted): void {
    if (this.settled || grant.fencingToken <= this.declinedToken) return;
    if (validUntil(grant.startedAt, grant.leaseMs) <= this.engine.clock.now()) {
      this.decline(grant);
    } else {
      this.acceptedToken = grant.fencingToken;
      this.leaseMs = grant.leaseMs;
      this.settle();
      const { target, entry } = this.request;
      this.resolve(target.manyQueues ? { ...grant, entry } : grant);
    }
  }

  /** The grant came too late to be used: given back, and asked for again from the same place. */
  private decline({ fencingToken }: Granted): void {
    this.declinedToken = fencingToken;
    // Granted means out of the queue: should the next ask fail, the group's timer has to see that.
    this.doubt();
    void this.engine.undo(this.request.target, `${this.holderId}:${fencingToken}`).then(() => this.ask());
  }

  private settle(): void {
    this.settled = true;
    clearTimeout(this.timer);
    this.forgetSignal();
    this.left(this);
  }

  private readonly onTimeout = (): void => {
    const graceMs = this.request.answerBy - this.engine.clock.now();
    const unanswered = !this.refused && this.ticket === undefined && this.lastError === undefined;
    if (unanswered && graceMs > 0) this.timer = setTimeout(this.onTimeout, graceMs);
    else this.giveUp(this.timeoutError());
  };

  /** Contention is the answer when that was the last one; a failure of the last moments does not change it. */
  private timeoutError(): unknown {
    const { target, startedAt } = this.request;
    const now = this.engine.clock.now();
    const failing = now - this.failingSince > FAILING_MS;
    if ((this.refused || this.ticket !== undefined) && !failing)
      return new AcquireTimeoutError(target, now - startedAt);
    const waited = `${Math.round(now - startedAt)} ms`;
    const unheard = `no answer from the server within ${waited}; is it up and reachable?`;
    return this.lastError ?? new ConnectionError(unheard, target);
  }
}
