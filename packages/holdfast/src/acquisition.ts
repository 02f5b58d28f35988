/** How a lease comes about: one try, then a wait in the queue where that is wanted. */
import { unlessAborted } from './abort.ts';
import { backoffBefore } from './backoff.ts';
import { pause } from './deadline.ts';
import { DeadlockWatch } from './deadlock/deadlock-watch.ts';
import type { Engine } from './engine.ts';
import { AcquireTimeoutError, ClosedError, DeadlockError } from './errors.ts';
import type { HoldfastEvents } from './events.ts';
import { isPassing } from './failure.ts';
import type { Granted } from './grant.ts';
import type { Hold } from './hold.ts';
import { newHolderId } from './holder-id.ts';
import type { LeaseSettings } from './options.ts';
import { confirmedByReplicas } from './replication.ts';
import {
  type AcquireReply,
  type GrantedReply,
  type Holdable,
  isGrant,
  type QueueEntry,
} from './store/store.ts';
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

export interface Wanted<L> {
  readonly engine: Engine;
  readonly room: WaitingRoom;
  readonly target: Holdable;
  readonly settings: LeaseSettings;
  readonly signal: AbortSignal | undefined;
  /** What the caller holds already. */
  readonly within: readonly Hold[];
  /** That of them which this would change: an upgrade's. */
  readonly changes?: Hold;
  /** Makes the lease of a grant. */
  readonly lease: (granted: Granted) => L;
}

/** The lease, or `undefined` when others are in the way. */
export async function tryOnce<L>(wanted: Wanted<L>): Promise<L | undefined> {
  const attempt = new Attempt(wanted, wanted.engine.commandTimeoutMs);
  const reply = await attempt.ask();
  return reply === undefined ? undefined : await attempt.lease(reply);
}

/** The lease, after a wait of up to `waitMs` in arrival order. */
export async function acquire<L>(wanted: Wanted<L>): Promise<L> {
  const { settings, engine } = wanted;
  const attempt = new Attempt(wanted, settings.waitMs === 0 ? engine.commandTimeoutMs : settings.waitMs);
  const first = attempt.joinsAtOnce ? undefined : await attempt.ask();
  if (first !== undefined) return await attempt.lease(first);
  if (settings.waitMs === 0) throw new AcquireTimeoutError(wanted.target, attempt.waitedMs);
  return await attempt.waited();
}

type WaitEnd = HoldfastEvents['waited']['outcome'];

class Attempt<L> {
  private holderId: string;
  /** The caller's, and a deadlock's. */
  private signal: AbortSignal | undefined;
  private readonly startedAt: number;
  private readonly deadlineAt: number;
  /** The server's side of the lease never outlives `maxHoldMs`. */
  private readonly ttlMs: number;
  /** The server has said that it is taken. */
  private refused = false;

  constructor(
    private readonly wanted: Wanted<L>,
    patienceMs: number,
  ) {
    const { engine, settings } = wanted;
    this.signal = wanted.signal;
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
    const { settings, target } = this.wanted;
    const leaseMs = settings.renew ? Math.min(this.ttlMs, CLAIM_MS) : this.ttlMs;
    return { holderId: this.holderId, leaseMs, channel: target.channel };
  }

  /** An answer gets this long even when `waitMs` is shorter. */
  private get answerMs(): number {
    return Math.min(ANSWER_GRACE_MS, this.wanted.engine.commandTimeoutMs);
  }

  private timedOut(): AcquireTimeoutError {
    return new AcquireTimeoutError(this.wanted.target, this.waitedMs);
  }

  /** While this process listens already, one command both tries and joins. */
  get joinsAtOnce(): boolean {
    const { settings, room, target, within } = this.wanted;
    // Whoever holds something asks first whether it has to wait: then it is watched.
    return settings.waitMs > 0 && within.length === 0 && room.expectsWaiting(target);
  }

  /** One try. `undefined` when busy; rejects with the signal's reason as soon as it aborts, and then takes the try back. */
  async ask(): Promise<Granted | undefined> {
    const { engine, target } = this.wanted;
    const { holderId, signal } = this;
    const askedAt = engine.clock.now();
    const late = ({ fencingToken }: GrantedReply) => void engine.undo(target, `${holderId}:${fencingToken}`);
    const limits = {
      deadlineAt: Math.max(this.deadlineAt, askedAt + this.answerMs),
      unwanted: () => signal?.aborted === true,
    };
    const asked = target.acquire({ holderId, ttlMs: this.ttlMs }, limits, late);
    try {
      const reply = await unlessAborted(signal, () => asked);
      this.refused = !isGrant(reply);
      return isGrant(reply) ? this.inTime(reply, askedAt) : undefined;
    } catch (error) {
      this.takeBack(asked);
      throw error;
    }
  }

  async waited(): Promise<L> {
    const { events } = this.wanted.engine;
    const told = (outcome: WaitEnd) =>
      events.emit('waited', () => ({ name: this.wanted.target.name, waitedMs: this.waitedMs, outcome }));
    const watch = this.watch();
    try {
      const grant = await this.wait();
      if (this.refused || grant.handedOff) told('acquired');
      return await this.lease(grant);
    } catch (error) {
      told(this.endedBy(error));
      throw error;
    } finally {
      watch?.end();
    }
  }

  /** Whoever holds something may be waited for itself. */
  private watch(): DeadlockWatch | undefined {
    const { engine, target, within, changes, signal } = this.wanted;
    if (within.length === 0) return undefined;
    const watch = new DeadlockWatch({
      engine,
      subject: target,
      holderId: this.holderId,
      holds: within,
      changes,
    });
    this.signal = signal === undefined ? watch.signal : AbortSignal.any([signal, watch.signal]);
    return watch;
  }

  private endedBy(error: unknown): WaitEnd {
    if (error instanceof AcquireTimeoutError) return 'timeout';
    if (error instanceof DeadlockError) return 'deadlock';
    return this.wanted.signal?.aborted ? 'aborted' : 'failed';
  }

  /** Without a turn of its own where no replica has to confirm. */
  lease(grant: Granted): L | Promise<L> {
    const { engine, target } = this.wanted;
    if (engine.store.minReplicas === 0) return this.leaseNow(grant);
    const { signal, ttlMs } = this;
    const confirmed = confirmedByReplicas({ engine, target, signal, ttlMs }, grant);
    return confirmed.then((one) => this.leaseNow(one));
  }

  private leaseNow(grant: Granted): L {
    const { engine, target, settings } = this.wanted;
    if (engine.closed) throw this.closedMeanwhile(grant);
    const lease = this.wanted.lease(grant);
    const { fencingToken, handedOff } = grant;
    for (const name of target.names ?? [target.name]) {
      const told = { name, fencingToken, ttlMs: settings.ttlMs, tookMs: this.waitedMs, handedOff };
      engine.events.emit('acquired', () => told);
    }
    return lease;
  }

  /** `close()` has ended what was held before; this grant came after it. */
  private closedMeanwhile({ holderId, fencingToken }: Granted): ClosedError {
    const { engine, target } = this.wanted;
    void engine.undo(target, `${holderId}:${fencingToken}`);
    return new ClosedError('this Holdfast instance was closed meanwhile', target);
  }

  private wait(): Promise<Granted> {
    const { room, target } = this.wanted;
    if (room.muted) return this.poll();
    const { ttlMs, startedAt, deadlineAt, signal } = this;
    const entry = this.entry();
    const answerBy = startedAt + this.answerMs;
    const request = { target, entry, ttlMs, startedAt, deadlineAt, answerBy, signal, busy: this.refused };
    return room.wait(request).catch((error: unknown) => {
      if (error instanceof CannotListen) return this.poll();
      throw error;
    });
  }

  private async poll(): Promise<Granted> {
    const { engine, target } = this.wanted;
    const { signal } = this;
    for (let round = 0; ; round++) {
      const grant = await this.ask().catch((error: unknown) => {
        // It was busy all along; that the last answer did not come in time changes nothing.
        const over = engine.clock.now() >= this.deadlineAt - this.answerMs;
        throw round > 0 && over && isPassing(error) ? this.timedOut() : error;
      });
      if (grant !== undefined) return grant;
      const delay = backoffBefore(this.deadlineAt - engine.clock.now(), round, POLL, Math.random());
      if (delay === undefined) throw this.timedOut();
      await pause(delay, signal);
      signal?.throwIfAborted();
      engine.assertOpen(target);
    }
  }

  /** A reply that outlasted its own lease is no lease: given back, and taken for "busy" by somebody with a new name. */
  private inTime(reply: GrantedReply, askedAt: number): Granted | undefined {
    const { engine, target } = this.wanted;
    const { fencingToken, leaseMs, slots, startedAt = askedAt } = reply;
    if (validUntil(startedAt, leaseMs) > engine.clock.now())
      return { holderId: this.holderId, fencingToken, leaseMs, startedAt, handedOff: false, slots };
    void engine.undo(target, `${this.holderId}:${fencingToken}`);
    // The next ask may overtake that, and would be told that it has what is about to be given back.
    this.holderId = newHolderId(engine.clientId);
    return undefined;
  }

  /** Whether that try got the lock may be unknown: given back now, and again should its grant still come. */
  private takeBack(asked: Promise<AcquireReply>): void {
    const { engine, target } = this.wanted;
    const undo = () => engine.undo(target, this.holderId);
    void undo();
    void engine.inBackground(asked.then((reply) => (isGrant(reply) ? undo() : undefined)));
  }
}
