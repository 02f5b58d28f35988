/**
 * One acquire that waits. It settles exactly once: by a grant (from a message, or from asking again), by its deadline,
 * by the caller's signal, by `close()`, or by a failure that waiting cannot cure. Whoever gives up takes back what it may have got.
 */
import { onAbort } from '../abort.ts';
import type { Engine } from '../engine.ts';
import { AcquireTimeoutError, ConnectionError, ServerRefusedError } from '../errors.ts';
import type { LockKeys } from '../keys.ts';
import type { Granted } from '../lease.ts';
import {
  type AcquireReply,
  type GrantedReply,
  type GrantMessage,
  isGrant,
  type QueueEntry,
} from '../store/store.ts';
import { type ClockPair, handedOffAt, validUntil } from '../validity.ts';

/** How long a caller that gave up is kept until the server has confirmed that nothing is left behind. */
const UNDO_GRACE_MS = 50;
const MAX_TIMER_MS = 2 ** 31 - 1;

export interface WaitRequest {
  readonly keys: LockKeys;
  readonly entry: QueueEntry;
  readonly ttlMs: number;
  readonly startedAt: number;
  readonly deadlineAt: number;
  readonly signal: AbortSignal | undefined;
  /** The server has said already that somebody holds it. */
  readonly busy: boolean;
}

export interface WaitGrant extends Granted {
  readonly handedOff: boolean;
}

/** What an ask told, for the group's timer. */
export type Standing = Exclude<AcquireReply, { status: 'granted' | 'yours' | 'busy' }>;

export class Waiter {
  readonly granted: Promise<WaitGrant>;
  /** In the server's queue, as far as we know. */
  joined = false;
  settled = false;
  /** Settled without the lock. */
  gaveUp = false;
  private asking = false;
  /** The grant with this token, and any before it, is being given back. */
  private declinedToken = 0;
  private acceptedToken: number | undefined;
  private ticket: string | undefined;
  private pair: ClockPair;
  private lastError: unknown;
  private readonly ended = new AbortController();
  private forgetSignal: () => void = () => {};
  private readonly timer: NodeJS.Timeout;
  private resolve!: (grant: WaitGrant) => void;
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
    const { startedAt, deadlineAt, signal } = request;
    this.pair = { ours: startedAt, serverUs: Number.POSITIVE_INFINITY };
    const delay = Math.min(MAX_TIMER_MS, Math.max(0, deadlineAt - engine.clock.now()));
    this.timer = setTimeout(this.onTimeout, delay);
    this.forgetSignal = onAbort(signal, () => this.giveUp(signal?.reason));
  }

  get holderId(): string {
    return this.request.entry.holderId;
  }

  /**
   * Asks for the lock, joining the queue or keeping the place in it. One round trip.
   * @returns where it stands now; `undefined` when it is settled, was asking already, or got no answer
   */
  async ask(): Promise<Standing | undefined> {
    if (this.asking || this.settled) return undefined;
    this.asking = true;
    const askedAt = this.engine.clock.now();
    try {
      return this.answered(await this.send(askedAt), askedAt);
    } catch (error) {
      return this.failed(error);
    } finally {
      this.asking = false;
    }
  }

  /** A grant for this waiter came over its channel. */
  hear(grant: GrantMessage): void {
    const startedAt = handedOffAt(this.pair, grant.startedUs, this.engine.clock.now());
    this.grant({ ...grant, startedAt, handedOff: true });
  }

  /** Ends the wait with an error, after taking back what it may have got. */
  giveUp(error: unknown): void {
    if (this.settled) return;
    this.gaveUp = true;
    this.settle();
    const { keys, entry } = this.request;
    const undone = this.engine.undo(keys, entry.holderId, entry);
    const grace = setTimeout(() => this.reject(error), UNDO_GRACE_MS);
    void undone.then(() => {
      clearTimeout(grace);
      this.reject(error);
    });
  }

  private send(askedAt: number): Promise<AcquireReply> {
    const { keys, entry, ttlMs, deadlineAt } = this.request;
    const limits = {
      deadlineAt: Math.min(deadlineAt, askedAt + this.engine.commandTimeoutMs),
      signal: this.ended.signal,
    };
    const ask = { holderId: entry.holderId, ttlMs, entry, ticket: this.ticket };
    const late = (grant: GrantedReply) => void this.answered(grant, askedAt);
    return this.engine.store.acquire(keys, ask, limits, late);
  }

  private answered(reply: AcquireReply, askedAt: number): Standing | undefined {
    this.lastError = undefined;
    if (this.settled) {
      this.tidy(reply);
      return undefined;
    }
    if (isGrant(reply)) {
      const { holderId } = this;
      const { fencingToken, leaseMs } = reply;
      this.grant({
        holderId,
        fencingToken,
        leaseMs,
        startedAt: askedAt,
        handedOff: reply.status === 'yours',
      });
      return undefined;
    }
    if (reply.status === 'busy') return undefined;
    this.pair = { ours: askedAt, serverUs: reply.serverUs };
    this.ticket = reply.ticket;
    this.joined = true;
    return reply;
  }

  /** The answer crossed the end of the wait. A grant other than the one that ended it belongs to nobody. */
  private tidy(reply: AcquireReply): void {
    if (!isGrant(reply) || reply.fencingToken === this.acceptedToken) return;
    void this.engine.undo(this.request.keys, `${this.holderId}:${reply.fencingToken}`);
  }

  private failed(error: unknown): undefined {
    this.lastError = error;
    if (!(error instanceof ConnectionError) && !isPassing(error)) this.giveUp(error);
    return undefined;
  }

  private grant(grant: WaitGrant): void {
    const pending = this.engine.pendingRelease(this.request.keys);
    if (pending === undefined) this.accept(grant);
    else void pending.then(() => this.accept(grant));
  }

  private accept(grant: WaitGrant): void {
    if (this.settled || grant.fencingToken <= this.declinedToken) return;
    if (validUntil(grant.startedAt, grant.leaseMs) <= this.engine.clock.now()) {
      this.decline(grant);
    } else {
      this.acceptedToken = grant.fencingToken;
      this.settle();
      this.resolve(grant);
    }
  }

  /** The grant came too late to be used: given back, and asked for again from the same place. */
  private decline({ fencingToken }: WaitGrant): void {
    this.declinedToken = fencingToken;
    void this.engine.undo(this.request.keys, `${this.holderId}:${fencingToken}`).then(() => this.ask());
  }

  private settle(): void {
    this.settled = true;
    this.ended.abort();
    clearTimeout(this.timer);
    this.forgetSignal();
    this.left(this);
  }

  private readonly onTimeout = (): void => this.giveUp(this.lastError ?? this.timeoutError());

  private timeoutError(): Error {
    const { keys, startedAt, busy } = this.request;
    const waitedMs = this.engine.clock.now() - startedAt;
    if (busy || this.joined) return new AcquireTimeoutError(keys.name, waitedMs);
    return new ConnectionError(
      `no answer from the server within ${Math.round(waitedMs)} ms; is it up and reachable?`,
      keys.name,
    );
  }
}

function isPassing(error: unknown): boolean {
  return (
    error instanceof ServerRefusedError &&
    /^(LOADING|READONLY|CLUSTERDOWN|TRYAGAIN|MOVED|ASK|MASTERDOWN|BUSY)$/.test(error.reply)
  );
}
