/** How a lease comes about: one try, then a wait in the queue where that is wanted. */
import { onAbort } from './abort.ts';
import { backoffMs } from './backoff.ts';
import { pause } from './deadline.ts';
import type { Engine } from './engine.ts';
import { AcquireTimeoutError, ClosedError, ConnectionError } from './errors.ts';
import type { Granted } from './grant.ts';
import { newHolderId } from './holder-id.ts';
import type { LockKeys } from './keys.ts';
import { Lease } from './lease.ts';
import type { LockSettings } from './options.ts';
import { type AcquireReply, type GrantedReply, isGrant, type QueueEntry } from './store/store.ts';
import { leaseToCover, validUntil } from './validity.ts';
import { CannotListen, type WaitingRoom } from './waiting/waiting-room.ts';

/**
 * A lease that a hand-off wrote is this short at first, and made full by the first renewal: a waiter whose machine died
 * with its socket open costs seconds, not a whole ttl.
 */
const CLAIM_MS = 3_000;
/** A healthy server's answer may take this long; a call settles no later than its `waitMs` and this. */
const ANSWER_GRACE_MS = 50;
/** Where nobody can be told, waiting is asking. */
const POLL = { firstMs: 10, maxMs: 500 };

export interface Wanted {
  readonly engine: Engine;
  readonly room: WaitingRoom;
  readonly keys: LockKeys;
  readonly settings: LockSettings;
  readonly signal: AbortSignal | undefined;
}

/** The lease, or `undefined` when somebody else holds the lock. */
export async function tryOnce(wanted: Wanted): Promise<Lease | undefined> {
  const attempt = new Attempt(wanted, wanted.engine.commandTimeoutMs);
  const reply = await attempt.ask();
  return reply === undefined ? undefined : attempt.lease(reply);
}

/** The lease, after a wait of up to `waitMs` in arrival order. */
export async function acquire(wanted: Wanted): Promise<Lease> {
  const { settings, engine } = wanted;
  const attempt = new Attempt(wanted, settings.waitMs === 0 ? engine.commandTimeoutMs : settings.waitMs);
  const first = attempt.joinsAtOnce ? undefined : await attempt.ask();
  if (first !== undefined) return attempt.lease(first);
  if (settings.waitMs === 0) throw new AcquireTimeoutError(wanted.keys.name, attempt.waitedMs);
  return await attempt.waited();
}

class Attempt {
  private readonly holderId: string;
  private readonly startedAt: number;
  private readonly deadlineAt: number;
  /** The server's side of the lease never outlives `maxHoldMs`. */
  private readonly ttlMs: number;
  /** The server has said that somebody holds it. */
  private refused = false;

  constructor(
    private readonly wanted: Wanted,
    patienceMs: number,
  ) {
    const { engine, settings } = wanted;
    this.holderId = newHolderId(engine.clientId);
    this.startedAt = engine.clock.now();
    this.deadlineAt = this.startedAt + patienceMs;
    this.ttlMs = Math.min(settings.ttlMs, leaseToCover(settings.maxHoldMs ?? settings.ttlMs));
  }

  get waitedMs(): number {
    return this.wanted.engine.clock.now() - this.startedAt;
  }

  /** How this acquire stands in the queue, should it have to. */
  private entry(): QueueEntry {
    const { engine, settings, keys } = this.wanted;
    const leaseMs = settings.renew ? Math.min(this.ttlMs, CLAIM_MS) : this.ttlMs;
    return { holderId: this.holderId, leaseMs, channel: engine.store.channel(keys) };
  }

  /** An answer gets this long even when `waitMs` is shorter. */
  private get answerMs(): number {
    return Math.min(ANSWER_GRACE_MS, this.wanted.engine.commandTimeoutMs);
  }

  private timedOut(): AcquireTimeoutError {
    return new AcquireTimeoutError(this.wanted.keys.name, this.waitedMs);
  }

  /** While this process listens already, one command both tries and joins. */
  get joinsAtOnce(): boolean {
    const { settings, room, keys } = this.wanted;
    return settings.waitMs > 0 && room.expectsWaiting(keys);
  }

  /** One try. `undefined` when busy; rejects with the signal's reason as soon as it aborts, and then takes the try back. */
  async ask(): Promise<Granted | undefined> {
    const { engine, keys, signal } = this.wanted;
    const askedAt = engine.clock.now();
    const late = ({ fencingToken }: GrantedReply) =>
      void engine.undo(keys, `${this.holderId}:${fencingToken}`);
    const limits = {
      deadlineAt: Math.max(this.deadlineAt, askedAt + this.answerMs),
      unwanted: () => signal?.aborted === true,
    };
    const asked = engine.store.acquire(keys, { holderId: this.holderId, ttlMs: this.ttlMs }, limits, late);
    try {
      const reply = await this.unlessAborted(asked);
      this.refused = !isGrant(reply);
      return isGrant(reply) ? this.inTime(reply, askedAt) : undefined;
    } catch (error) {
      this.takeBack(asked);
      throw error;
    }
  }

  async waited(): Promise<Lease> {
    const { events } = this.wanted.engine;
    const told = (outcome: 'acquired' | 'timeout' | 'aborted' | 'failed') =>
      events.emit('waited', () => ({ name: this.wanted.keys.name, waitedMs: this.waitedMs, outcome }));
    try {
      const grant = await this.wait();
      if (this.refused || grant.handedOff) told('acquired');
      return this.lease(grant);
    } catch (error) {
      told(
        error instanceof AcquireTimeoutError ? 'timeout' : this.wanted.signal?.aborted ? 'aborted' : 'failed',
      );
      throw error;
    }
  }

  lease(grant: Granted): Lease {
    const { engine, keys, settings } = this.wanted;
    if (engine.closed) throw this.closedMeanwhile(grant);
    const lease = new Lease(engine, keys, grant, settings);
    engine.events.emit('acquired', () => ({
      name: keys.name,
      fencingToken: grant.fencingToken,
      ttlMs: settings.ttlMs,
      tookMs: this.waitedMs,
      handedOff: grant.handedOff,
    }));
    return lease;
  }

  /** `close()` has ended what was held before; this grant came after it. */
  private closedMeanwhile({ fencingToken }: Granted): ClosedError {
    const { engine, keys } = this.wanted;
    void engine.undo(keys, `${this.holderId}:${fencingToken}`);
    return new ClosedError('this Holdfast instance was closed meanwhile', keys.name);
  }

  private wait(): Promise<Granted> {
    const { room, keys, signal } = this.wanted;
    if (room.muted) return this.poll();
    const { ttlMs, startedAt, deadlineAt } = this;
    const entry = this.entry();
    const answerBy = startedAt + this.answerMs;
    const request = { keys, entry, ttlMs, startedAt, deadlineAt, answerBy, signal, busy: this.refused };
    return room.wait(request).catch((error: unknown) => {
      if (error instanceof CannotListen) return this.poll();
      throw error;
    });
  }

  private async poll(): Promise<Granted> {
    const { engine, keys, signal } = this.wanted;
    for (let round = 0; ; round++) {
      const grant = await this.ask().catch((error: unknown) => {
        // It was busy all along; that the last answer did not come in time changes nothing.
        const over = engine.clock.now() >= this.deadlineAt - this.answerMs;
        throw round > 0 && over && error instanceof ConnectionError ? this.timedOut() : error;
      });
      if (grant !== undefined) return grant;
      const delay = backoffMs(round, POLL, Math.random());
      if (engine.clock.now() + delay >= this.deadlineAt) throw this.timedOut();
      await pause(delay, signal);
      signal?.throwIfAborted();
      engine.assertOpen(keys.name);
    }
  }

  /** A reply that outlasted its own lease is no lease: given back, and taken for "busy". */
  private inTime(reply: { fencingToken: number; leaseMs: number }, askedAt: number): Granted | undefined {
    const { engine, keys } = this.wanted;
    if (validUntil(askedAt, reply.leaseMs) > engine.clock.now()) {
      const { fencingToken, leaseMs } = reply;
      return { holderId: this.holderId, fencingToken, leaseMs, startedAt: askedAt, handedOff: false };
    }
    void engine.undo(keys, this.holderId);
    return undefined;
  }

  private unlessAborted(asked: Promise<AcquireReply>): Promise<AcquireReply> {
    const { signal } = this.wanted;
    if (signal === undefined) return asked;
    return new Promise((resolve, reject) => {
      const forget = onAbort(signal, () => reject(signal.reason));
      asked.then(resolve, reject).finally(() => forget());
    });
  }

  /** Whether that try got the lock may be unknown: given back now, and again should its grant still come. */
  private takeBack(asked: Promise<AcquireReply>): void {
    const { engine, keys } = this.wanted;
    const undo = () => engine.undo(keys, this.holderId);
    void undo();
    void engine.inBackground(asked.then((reply) => (isGrant(reply) ? undo() : undefined)));
  }
}
