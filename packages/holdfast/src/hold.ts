/**
 * What is held on the server, as one value: renewed until it is released, or lost. Usually one lease stands for it; a re-entrant lock may be
 * held by several of the same context, and is given back by the last.
 */
import type { Endable, Engine } from './engine.ts';
import { argumentError, ConnectionError, LeaseLostError, type LeaseLostReason } from './errors.ts';
import type { Granted, QueueEntry, ReleaseOutcome } from './grant.ts';
import { type Guarded, repliesOf } from './guard.ts';
import type { LeaseSettings } from './options.ts';
import type { Holdable, ReleaseReply } from './store/store.ts';
import { type RenewOutcome, Watchdog } from './watchdog.ts';

export class Hold implements Endable {
  fencingToken: number;
  /** Its value on the server: `holderId:fencingToken`. */
  readonly value: string;
  readonly holderId: string;
  private readonly entry: QueueEntry | undefined;
  private readonly startedAt: number;
  private readonly watchdog: Watchdog;
  private abort: AbortController | undefined;
  private whyLost: LeaseLostError | undefined;
  private releasing: Promise<ReleaseOutcome> | undefined;
  private leases = 1;
  private guarded = 0;
  private guarding: Promise<void> = Promise.resolve();

  constructor(
    readonly engine: Engine,
    readonly target: Holdable,
    granted: Granted,
    settings: LeaseSettings,
  ) {
    this.fencingToken = granted.fencingToken;
    this.holderId = granted.holderId;
    this.value = `${granted.holderId}:${granted.fencingToken}`;
    this.entry = granted.entry;
    this.startedAt = granted.startedAt;
    const endsAt = granted.startedAt + (settings.maxHoldMs ?? Number.POSITIVE_INFINITY);
    const watch = {
      ttlMs: settings.ttlMs,
      startedAt: granted.startedAt,
      leaseMs: granted.leaseMs,
      renew: settings.renew,
      endsAt,
    };
    this.watchdog = new Watchdog(watch, engine.clock, engine.renewals, () => this.watched());
    engine.leases.add(this);
  }

  remainingMs(): number {
    this.watchdog.check();
    return this.watchdog.remainingMs();
  }

  get signal(): AbortSignal {
    this.abort ??= new AbortController();
    this.watchdog.check();
    if (this.whyLost !== undefined && !this.abort.signal.aborted) this.abort.abort(this.whyLost);
    return this.abort.signal;
  }

  get lost(): LeaseLostError | undefined {
    this.watchdog.check();
    return this.whyLost;
  }

  /** Neither released nor lost. */
  get isHeld(): boolean {
    return this.lost === undefined && this.releasing === undefined;
  }

  renew(ttlMs?: number): Promise<RenewOutcome> {
    return this.watchdog.renewNow(ttlMs);
  }

  /** Runs commands if it is held, after those of earlier calls. */
  guard(commands: readonly Guarded[]): Promise<unknown[]> {
    const number = ++this.guarded;
    const turn = this.guarding.then(() => this.guardNow(commands, number));
    this.guarding = turn.then(
      () => undefined,
      () => undefined,
    );
    return turn;
  }

  /** One more lease of the same context. */
  enter(): this {
    this.leases++;
    return this;
  }

  /** One lease fewer; the last one gives it back. */
  leave(): Promise<ReleaseOutcome> {
    this.leases--;
    if (this.leases > 0) return Promise.resolve(this.lost === undefined ? 'released' : this.goneAs());
    this.watchdog.check();
    this.releasing ??= this.coolsDown ? Promise.resolve('expired') : this.release();
    return this.releasing;
  }

  /** For disposal: a release that fails is left to the lease's expiry (a `warning` event tells). */
  async quietly(release: Promise<ReleaseOutcome>): Promise<void> {
    await release.catch((error: Error) => {
      this.engine.events.warn(
        'HOLDFAST_RELEASE_FAILED',
        `a release failed, its lease expires by itself: ${error.message}`,
      );
    });
  }

  /** Ends it from our side: its signal aborts, then it is released. Never rejects. */
  async end(reason: LeaseLostReason): Promise<void> {
    if (this.isHeld) this.lose(reason);
    this.leases = 1;
    await this.quietly(this.releasing ?? this.leave());
  }

  told() {
    return { name: this.target.name, fencingToken: this.fencingToken };
  }

  private watched() {
    const { events, clock, commandTimeoutMs } = this.engine;
    const told = this.told();
    return {
      renew: (ttlMs: number, until: number) => {
        const deadlineAt = Math.min(until, clock.now() + commandTimeoutMs);
        return this.target.renew(this.value, ttlMs, { deadlineAt });
      },
      renewed: (tookMs: number) =>
        events.emit('renewed', () => ({ ...told, tookMs, remainingMs: this.remainingMs() })),
      unknown: (error: unknown) =>
        events.emit('renewalUnknown', () => ({
          ...told,
          remainingMs: this.remainingMs(),
          error: error as Error,
        })),
      lost: (reason: LeaseLostReason) => this.lose(reason),
    };
  }

  private lose(reason: LeaseLostReason): void {
    this.watchdog.stop();
    this.engine.leases.delete(this);
    this.whyLost = new LeaseLostError(this.target, reason);
    this.abort?.abort(this.whyLost);
    this.engine.events.emit('lost', () => ({ ...this.told(), heldMs: this.heldMs(), reason }));
  }

  private async release(): Promise<ReleaseOutcome> {
    const { store, clock, events, leases } = this.engine;
    const askedAt = clock.now();
    const validUntil = askedAt + this.watchdog.remainingMs();
    const drops = store.drops;
    let resent = false;
    // Sent first: whoever waits for it gains by every microsecond.
    const replying = this.engine.release(this.target, this.value, this.entry, () => {
      resent = true;
    });
    this.watchdog.stop();
    leases.delete(this);
    const reply = await replying;
    const outcome =
      // A renewal had found it gone: its time had not run out.
      this.whyLost?.reason === 'lost'
        ? 'lost'
        : releaseOutcome(reply, {
            wasValid: validUntil > askedAt,
            stillValid: validUntil > clock.now(),
            // By us, or by a client that does so by itself.
            sentTwice: resent || store.drops !== drops,
          });
    if (outcome !== 'released' && this.whyLost === undefined) this.lose(outcome);
    const told = { ...this.told(), heldMs: askedAt - this.startedAt };
    if (reply === 'given') events.emit('handedOff', () => told);
    if (reply === 'mute') events.warn('HOLDFAST_NO_PUBLISH', NO_PUBLISH);
    events.emit('released', () => ({ ...told, tookMs: clock.now() - askedAt, outcome }));
    return outcome;
  }

  private async guardNow(commands: readonly Guarded[], number: number): Promise<unknown[]> {
    const { target, value, engine } = this;
    if (target.guard === undefined) throw argumentError(NO_GUARD);
    if (this.lost !== undefined) throw this.lost;
    const guarding = { value, number, cooldownMs: target.cooldownMs ?? 0 };
    const { status, replies } = await target.guard(guarding, commands, engine.limits());
    if (status === 'done') return repliesOf(target, commands, replies);
    if (status === 'again') throw new ConnectionError(APPLIED, target);
    if (this.whyLost === undefined && this.releasing === undefined) this.lose(status);
    throw this.whyLost ?? new LeaseLostError(target, status);
  }

  /** It expired, so the lock stays closed for a while; a release would open it. */
  private get coolsDown(): boolean {
    return (this.target.cooldownMs ?? 0) > 0 && this.whyLost?.reason === 'expired';
  }

  private goneAs(): ReleaseOutcome {
    return this.whyLost?.reason === 'lost' ? 'lost' : 'expired';
  }

  private heldMs(): number {
    return this.engine.clock.now() - this.startedAt;
  }
}

const NO_GUARD =
  'guard: expected the lease of a lock on one server; a semaphore, a lock over several servers or in memory has no one place where lease and data are together: send the fencing token along instead';
const APPLIED = 'the guarded commands were applied, but the connection was lost before their replies came';

const NO_PUBLISH =
  'the user of this connection may not PUBLISH, so released locks are not handed to waiters, who have to ask again; grant +publish and the channel pattern';

interface Release {
  /** When it was asked for. */
  readonly wasValid: boolean;
  /** When the reply came. */
  readonly stillValid: boolean;
  readonly sentTwice: boolean;
}

/**
 * A release that was sent twice finds nothing the second time. While the lease was valid and the connection broke during
 * the call, that is what happened: the first one did it. A lease that is gone although its time had not run out was taken.
 */
function releaseOutcome(reply: ReleaseReply, { wasValid, stillValid, sentTwice }: Release): ReleaseOutcome {
  if (reply !== 'expired' && reply !== 'lost') return 'released';
  if (wasValid && sentTwice) return 'released';
  return reply === 'expired' && stillValid ? 'lost' : reply;
}
