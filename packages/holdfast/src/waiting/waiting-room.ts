/**
 * Everybody in this process who waits for a lock or semaphore. A grant comes as a message that carries the waiter's own holderId; any other
 * message is ignored. Behind the messages stands one timer per name (`Group`), so a lost message costs time, nothing else.
 */
import type { Engine } from '../engine.ts';
import { ClosedError, rangeError, ServerRefusedError } from '../errors.ts';
import { failureError, isPassing } from '../failure.ts';
import type { Granted } from '../grant.ts';
import { type GrantMessage, type Holdable, parseMessage, type QueueEntry } from '../store/store.ts';
import { Group } from './group.ts';
import { Mailbox } from './mailbox.ts';
import { Waiter, type WaitRequest } from './waiter.ts';

/** A grant may cross the end of its wait, or come of an old entry in the queue; for this long it is given back when it arrives. */
const REMEMBER_MS = 60_000;
const MAX_REMEMBERED = 10_000;
/** A program that has more waits than this at once has lost control of them. */
const MAX_WAITERS = 100_000;
const TOO_MANY = `more than ${MAX_WAITERS} waits at once in one process; bound them, or use tryAcquire`;
/** What was waited for this recently is likely to be taken again. */
const RECENT_MS = 1_000;

export class WaitingRoom {
  /** Set when the user may not subscribe or publish; then waiting is polling. */
  muted = false;
  private readonly waiters = new Map<string, Waiter>();
  private readonly groups = new Map<string, Group>();
  private readonly mailbox: Mailbox;
  /** By channel: that a message can be published there. */
  private readonly proofs = new Map<string, Promise<void>>();
  /** When a wait last ended, by key; the oldest first. */
  private readonly lastWaits = new Map<string, number>();
  /** Waits that are over, by holderId; the oldest first. */
  private readonly past = new Map<string, PastWait>();

  constructor(private readonly engine: Engine) {
    this.mailbox = new Mailbox(engine.store, {
      message: (text) => this.hear(text),
      interrupted: (channel) => this.interrupted(channel),
    });
  }

  /**
   * Whether a first ask should join the queue right away instead of trying first: its grant would be heard, and somebody in
   * this process waits for the same, or did a moment ago.
   */
  expectsWaiting(target: Holdable): boolean {
    const lastWait = this.lastWaits.get(target.key) ?? Number.NEGATIVE_INFINITY;
    const recent = this.engine.clock.now() - lastWait < RECENT_MS;
    if (this.muted || !(recent || this.groups.has(target.key))) return false;
    const { channel } = target;
    return this.mailbox.isOpen(channel) && this.proofs.has(channel);
  }

  /** Waits in the queue until granted. Rejects with whatever ended the wait. */
  wait(request: WaitRequest): Promise<Granted> {
    if (this.waiters.size >= MAX_WAITERS) return Promise.reject(rangeError(TOO_MANY));
    this.mailbox.entered();
    const waiter = new Waiter(this.engine, request, this.left);
    if (!waiter.settled) void this.seat(waiter);
    return waiter.granted;
  }

  /** Ends all waits. */
  evacuate(): void {
    for (const waiter of [...this.waiters.values()]) {
      const { target } = waiter.request;
      waiter.giveUp(new ClosedError('this Holdfast instance was closed during the wait', target));
    }
  }

  async close(): Promise<void> {
    await this.mailbox.close();
  }

  private async seat(waiter: Waiter): Promise<void> {
    this.waiters.set(waiter.holderId, waiter);
    try {
      await this.openMailbox(waiter.request.entry);
    } catch (error) {
      return this.notHeard(waiter, error);
    }
    if (!waiter.settled) this.group(waiter.request.target).add(waiter);
  }

  /** Ours must reach us and others must be able to send: proved once per channel, before anybody counts on it. */
  private async openMailbox({ channel }: QueueEntry): Promise<void> {
    await this.mailbox.open(channel);
    const known = this.proofs.get(channel);
    const proof = known ?? this.engine.store.probe(channel, this.engine.limits());
    this.proofs.set(channel, proof);
    await proof.catch((error: unknown) => {
      this.proofs.delete(channel);
      throw error;
    });
  }

  private notHeard(waiter: Waiter, error: unknown): void {
    const failure = failureError(error, waiter.request.target, this.engine.commandTimeoutMs);
    if (isPassing(failure)) {
      setTimeout(() => void (waiter.settled || this.seat(waiter)), RETRY_OPEN_MS);
    } else if (failure instanceof ServerRefusedError && failure.reply === 'NOPERM') {
      this.muted = true;
      this.engine.events.warn('HOLDFAST_POLLING', POLLING);
      waiter.giveUp(new CannotListen());
    } else {
      waiter.giveUp(failure);
    }
  }

  private group(target: Holdable): Group {
    const known = this.groups.get(target.key);
    if (known !== undefined) return known;
    const lostPlace = ({ request }: Waiter) => this.mailbox.refresh(request.entry.channel);
    const group = new Group(this.engine.clock, target.shared, lostPlace);
    this.groups.set(target.key, group);
    return group;
  }

  private hear(text: string): void {
    const message = parseMessage(text);
    if (message === undefined) return;
    const { holderId } = message.kind === 'grant' ? message.grant : message;
    const waiter = this.waiters.get(holderId);
    if (message.kind === 'grant') waiter?.hear(message.grant);
    else if (waiter !== undefined) this.groups.get(waiter.request.target.key)?.askAnew(waiter);
    if (message.kind === 'grant' && waiter === undefined) this.giveBack(message.grant);
  }

  /** What somebody gets whose wait is over is nobody's, unless it is what ended the wait. */
  private giveBack({ holderId, fencingToken }: GrantMessage): void {
    const past = this.past.get(holderId);
    if (past === undefined || past.token === fencingToken) return;
    void this.engine.undo(past.target, `${holderId}:${fencingToken}`);
  }

  private interrupted(channel: string | undefined): void {
    const hit = new Set<Group | undefined>();
    for (const { request } of this.waiters.values()) {
      if (channel === undefined || request.entry.channel === channel)
        hit.add(this.groups.get(request.target.key));
    }
    for (const group of hit) group?.askAll();
  }

  private readonly left = (waiter: Waiter): void => {
    this.mailbox.left();
    const { target } = waiter.request;
    this.waiters.delete(waiter.holderId);
    const group = this.groups.get(target.key);
    group?.remove(waiter);
    if (group?.size === 0) this.groups.delete(target.key);
    this.noteWait(target.key);
    this.remember(waiter);
  };

  private noteWait(key: string): void {
    this.lastWaits.delete(key);
    this.lastWaits.set(key, this.engine.clock.now());
    if (this.lastWaits.size <= MAX_REMEMBERED) return;
    for (const oldest of this.lastWaits.keys()) {
      this.lastWaits.delete(oldest);
      break;
    }
  }

  private remember({ holderId, request, acceptedToken }: Waiter): void {
    const now = this.engine.clock.now();
    this.past.set(holderId, { target: request.target, token: acceptedToken, until: now + REMEMBER_MS });
    for (const [oldest, { until }] of this.past) {
      if (until > now && this.past.size <= MAX_REMEMBERED) break;
      this.past.delete(oldest);
    }
  }
}

interface PastWait {
  readonly target: Holdable;
  /** Of the lease that ended the wait. */
  readonly token: number | undefined;
  readonly until: number;
}

const RETRY_OPEN_MS = 100;
const POLLING =
  'the user of this connection may not subscribe or publish, so waiting for a lock polls, and is neither fair nor cheap; grant +subscribe, +ssubscribe, +publish, +spublish and the channel pattern';

/** Tells `acquire` to poll instead. */
export class CannotListen extends Error {}
