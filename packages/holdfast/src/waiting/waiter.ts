/**
 * One acquire that waits. It settles exactly once: by a grant (from a message, or from asking again), by its deadline,
 * by the caller's signal, by `close()`, or by a failure that waiting cannot cure. Whoever gives up takes back what it may have got.
 */
import type { Engine } from '../engine.ts';
import { AcquireTimeoutError, ClosedError, ConnectionError, ServerRefusedError } from '../errors.ts';
import type { LockKeys } from '../keys.ts';
import type { Granted } from '../lease.ts';
import { type AcquireReply, type GrantMessage, isGrant, type QueueEntry } from '../store/store.ts';
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
  private ticket: string | undefined;
  private pair: ClockPair;
  private lastError: unknown;
  private readonly ended = new AbortController();
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
    signal?.addEventListener('abort', this.onAbort);
    engine.closing.signal.addEventListener('abort', this.onClose);
    if (signal?.aborted) this.onAbort();
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
    const late = () => void this.engine.undo(keys, entry.holderId, entry);
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

  /**
   * The answer crossed the end of the wait. A fresh grant means that the ask ran after the release that settled us, so
   * nobody knows of that hold; otherwise whatever ended the wait has dealt with it.
   */
  private tidy(reply: AcquireReply): void {
    if (reply.status === 'granted')
      void this.engine.undo(this.request.keys, this.holderId, this.request.entry);
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
    if (this.settled) return;
    if (validUntil(grant.startedAt, grant.leaseMs) <= this.engine.clock.now()) {
      this.decline();
    } else {
      this.settle();
      this.resolve(grant);
    }
  }

  /** The grant came too late to be used: given back, and asked for again from the same place. */
  private decline(): void {
    const { keys } = this.request;
    void this.engine.undo(keys, this.holderId).then(() => this.ask());
  }

  private settle(): void {
    this.settled = true;
    this.ended.abort();
    clearTimeout(this.timer);
    this.request.signal?.removeEventListener('abort', this.onAbort);
    this.engine.closing.signal.removeEventListener('abort', this.onClose);
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

  private readonly onAbort = (): void => this.giveUp(this.request.signal?.reason);

  private readonly onClose = (): void =>
    this.giveUp(new ClosedError('this Holdfast instance was closed during the wait', this.request.keys.name));
}

function isPassing(error: unknown): boolean {
  return (
    error instanceof ServerRefusedError &&
    /^(LOADING|READONLY|CLUSTERDOWN|TRYAGAIN|MOVED|ASK|MASTERDOWN|BUSY)$/.test(error.reply)
  );
}
