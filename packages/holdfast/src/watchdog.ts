/**
 * Keeps one lease alive, and tells its holder in time when that fails.
 *
 * Guarantees: `lost` is called no later than the end of the validity by the holder's own clock (or, of a process that did not
 * run then, as the first thing when it runs again), whether or not the server can be reached; nothing here ever rejects or throws out of a timer; no timer keeps the process alive; after `stop()`
 * nothing is called any more. Does not guarantee that a renewal gets through.
 */
import { backoffMs } from './backoff.ts';
import type { Clock } from './clock.ts';
import { type LeaseLostReason, WrongTypeError } from './errors.ts';
import type { Renewals, Renewing } from './renewals.ts';
import type { RenewReply } from './store/store.ts';
import { leaseToCover, validUntil } from './validity.ts';

/** A renewal that got no answer is tried again this soon, then more slowly, until the validity ends. */
const RETRY = { firstMs: 20, maxMs: 500 };
/** A timer fires late by about this; the end of the validity must not. Of a short lease only a twentieth. */
const TIMER_SLACK_MS = 5;

export type RenewOutcome = 'renewed' | 'lost' | 'unknown';

export interface Watched {
  /** Sends one renewal; must settle by `deadlineAt`. */
  renew(ttlMs: number, deadlineAt: number): Promise<RenewReply>;
  renewed(tookMs: number): void;
  unknown(error: unknown): void;
  lost(reason: LeaseLostReason): void;
}

export interface Watch {
  readonly ttlMs: number;
  /** When the lease began, not later than the server says. */
  readonly startedAt: number;
  /** How long it lasts without a renewal. */
  readonly leaseMs: number;
  readonly renew: boolean;
  /** The hold ends here, renewed or not. */
  readonly endsAt: number;
}

export class Watchdog implements Renewing {
  ttlMs: number;
  renewAt: number;
  private until: number;
  private failures = 0;
  private inFlight: Promise<RenewOutcome> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor(
    private readonly watch: Watch,
    private readonly clock: Clock,
    private readonly renewals: Renewals,
    /** Called only when there is something to tell: most leases end before. */
    private readonly watched: () => Watched,
  ) {
    this.ttlMs = watch.ttlMs;
    this.until = Math.min(validUntil(watch.startedAt, watch.leaseMs), watch.endsAt);
    this.renewAt =
      watch.renew && this.until < watch.endsAt
        ? watch.startedAt + watch.leaseMs / 3
        : Number.POSITIVE_INFINITY;
    if (watch.renew) renewals.add(this);
    this.arm();
  }

  remainingMs(): number {
    return this.stopped ? 0 : Math.max(0, this.until - this.clock.now());
  }

  /** Ends the lease now if its validity is over but the timer has not come to it yet (a blocked event loop). */
  check(): void {
    if (!this.stopped && this.clock.now() >= this.until) this.end();
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
    this.renewals.delete(this);
  }

  /** One renewal for everybody who asks while it is under way. */
  renewNow(ttlMs = this.ttlMs): Promise<RenewOutcome> {
    this.check();
    if (this.stopped) return Promise.resolve('lost');
    if (this.inFlight !== undefined && ttlMs === this.ttlMs) return this.inFlight;
    this.ttlMs = ttlMs;
    const attempt = this.attempt().finally(() => {
      if (this.inFlight === attempt) this.inFlight = undefined;
    });
    this.inFlight = attempt;
    return attempt;
  }

  private async attempt(): Promise<RenewOutcome> {
    const askedAt = this.clock.now();
    const leaseMs = Math.min(this.ttlMs, leaseToCover(this.watch.endsAt - askedAt));
    try {
      const reply = await this.watched().renew(leaseMs, this.until);
      this.check();
      if (this.stopped) return 'lost';
      return reply === 'renewed' ? this.extended(askedAt, leaseMs) : this.lose('lost');
    } catch (error) {
      return this.failed(error);
    }
  }

  private extended(askedAt: number, leaseMs: number): RenewOutcome {
    this.failures = 0;
    this.until = Math.min(validUntil(askedAt, leaseMs), this.watch.endsAt);
    const renews = this.watch.renew && this.until < this.watch.endsAt;
    this.renewAt = renews ? askedAt + leaseMs / 3 : Number.POSITIVE_INFINITY;
    this.arm();
    this.watched().renewed(this.clock.now() - askedAt);
    return 'renewed';
  }

  private failed(error: unknown): RenewOutcome {
    this.check();
    if (this.stopped) return 'lost';
    // Somebody put another type of value in its place.
    if (error instanceof WrongTypeError) return this.lose('lost');
    if (this.watch.renew) this.renewAt = this.clock.now() + backoffMs(this.failures++, RETRY, Math.random());
    this.arm();
    this.watched().unknown(error);
    return 'unknown';
  }

  private lose(reason: LeaseLostReason): RenewOutcome {
    this.stop();
    this.watched().lost(reason);
    return 'lost';
  }

  private end(): void {
    this.lose(this.until >= this.watch.endsAt ? 'max-hold' : 'expired');
  }

  private arm(): void {
    clearTimeout(this.timer);
    const next = Math.min(this.endAt, this.renewAt);
    const delay = Math.max(0, Math.floor(next - this.clock.now()));
    this.timer = setTimeout(tick, Math.min(delay, 2 ** 31 - 1), this).unref();
  }

  /** When the timer ends the lease: a little before it has to. */
  private get endAt(): number {
    return this.until - Math.min(TIMER_SLACK_MS, this.ttlMs / 20);
  }

  /** @internal The timer's turn. */
  tick(): void {
    if (this.stopped) return;
    const now = this.clock.now();
    if (now >= this.endAt) {
      this.end();
      return;
    }
    if (now >= this.renewAt) this.renewals.takeAlong(now);
    else this.arm();
  }

  /** @internal A renewal of this process goes out now, and this one with it. */
  renewEarly(): void {
    this.renewAt = Number.POSITIVE_INFINITY;
    void this.renewNow();
    this.arm();
  }
}

/** One function for all timers. */
function tick(watchdog: Watchdog): void {
  watchdog.tick();
}
