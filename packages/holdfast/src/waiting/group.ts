/**
 * All waiters of one lock or semaphore in this process, and the timer that stands behind their messages. Only the first asks: when
 * it is free, that serves the whole queue, and its answer keeps the queue of all alive.
 */
import type { Clock } from '../clock.ts';
import { askAfterFailureMs, nextAskMs } from './asking.ts';
import type { Standing, Waiter } from './waiter.ts';

export class Group {
  private readonly waiters = new Set<Waiter>();
  private timer: NodeJS.Timeout | undefined;
  private dueAt = Number.POSITIVE_INFINITY;
  private round = 0;
  /** Somebody is not in the queue. */
  private urgent = false;

  constructor(
    private readonly clock: Clock,
    /** Several may hold it at once. */
    private readonly shared: boolean,
    /** A waiter's place in the queue was gone. */
    private readonly lostPlace: (waiter: Waiter) => void,
  ) {}

  get size(): number {
    return this.waiters.size;
  }

  add(waiter: Waiter): void {
    this.waiters.add(waiter);
    void this.ask(waiter);
  }

  remove(waiter: Waiter): void {
    const askedForAll = waiter.asking && waiter === this.first;
    this.waiters.delete(waiter);
    if (this.waiters.size === 0) this.stop();
    else if (waiter.leaseMs !== undefined) this.progressed(waiter.leaseMs);
    // It gave up, and took the appointment with it.
    else if (askedForAll) this.schedule(0);
  }

  /** Asks for this one at once, or as soon as the answer that is on its way has come. */
  askAnew(waiter: Waiter): void {
    waiter.doubt();
    if (!waiter.asking) void this.ask(waiter);
  }

  /** Messages may have been missed, or the queue lost. */
  askAll(): void {
    for (const waiter of this.waiters) this.askAnew(waiter);
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.dueAt = Number.POSITIVE_INFINITY;
  }

  private get first(): Waiter | undefined {
    return this.waiters.values().next().value;
  }

  private async ask(waiter: Waiter): Promise<void> {
    const hadJoined = waiter.joined;
    const standing = await waiter.ask();
    if (waiter.settled) return this.served(waiter);
    if (standing === undefined) return this.scheduleRetry();
    // Doubted meanwhile: this answer may be older than the doubt.
    if (!waiter.joined) return this.ask(waiter);
    if (waiter === this.first) this.scheduleFrom(standing);
    else this.schedule(nextAskMs(standing, 0, Math.random()));
    // It was in the queue and was not any more: the queue was lost, or it was passed over. The others may be out of it too.
    if (hadJoined && standing.isNew) this.placeLost(waiter);
  }

  /** The asked one has its lease, and took the appointment with it: those behind it need one of their own. */
  private served({ leaseMs }: Waiter): void {
    if (leaseMs === undefined) return;
    const remainingMs = this.shared ? 0 : leaseMs;
    this.schedule(nextAskMs({ remainingMs, foreign: false, rank: 0 }, 0, 0));
  }

  private placeLost(asked: Waiter): void {
    this.lostPlace(asked);
    for (const waiter of this.waiters) {
      if (waiter !== asked) this.askAnew(waiter);
    }
  }

  private scheduleFrom(standing: Standing): void {
    const strange = standing.foreign || standing.remainingMs < 0;
    const delay = nextAskMs(standing, strange ? this.round++ : 0, Math.random());
    if (!strange) this.round = 0;
    this.stop();
    this.schedule(delay);
  }

  private scheduleRetry(): void {
    this.urgent = true;
    this.schedule(askAfterFailureMs(this.round++, Math.random()));
  }

  /** The queue moves: one of us has just become the only holder, for that long. There is nothing to ask before that. */
  private progressed(leaseMs: number): void {
    if (this.shared || this.timer === undefined || this.urgent) return;
    const next = nextAskMs({ remainingMs: leaseMs, foreign: false, rank: 0 }, 0, 0);
    this.dueAt = Math.max(this.dueAt, this.clock.now() + next);
  }

  /** Keeps an earlier appointment. */
  private schedule(delay: number): void {
    const dueAt = this.clock.now() + delay;
    if (dueAt >= this.dueAt || this.waiters.size === 0) return;
    clearTimeout(this.timer);
    this.dueAt = dueAt;
    this.timer = setTimeout(this.onTimer, Math.ceil(delay));
  }

  private readonly onTimer = (): void => {
    const early = this.dueAt - this.clock.now();
    if (early > 1) {
      this.timer = setTimeout(this.onTimer, Math.ceil(early));
      return;
    }
    this.stop();
    this.urgent = false;
    const { first } = this;
    for (const waiter of this.waiters) if (waiter === first || !waiter.joined) void this.ask(waiter);
    this.schedule(GUARD_MS);
  };
}

/** An ask that neither answers nor fails (it has its own deadline) must not be the last one. */
const GUARD_MS = 10_000;
