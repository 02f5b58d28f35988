/** One hold, bounded in time. Only `acquire`, `tryAcquire` and `use` make leases. */
import type { Endable, Engine } from './engine.ts';
import { LeaseLostError, type LeaseLostReason } from './errors.ts';
import type { Granted, QueueEntry, ReleaseOutcome } from './grant.ts';
import { checkTtlMs, type LockSettings } from './options.ts';
import type { Holdable, ReleaseReply } from './store/store.ts';
import { type RenewOutcome, Watchdog } from './watchdog.ts';

export class Lease implements AsyncDisposable, Endable {
  readonly name: string;
  /** Grows with every grant of this name. Send it along with what you do under the lock, and refuse older ones there. */
  readonly fencingToken: number;
  readonly #holderId: string;
  readonly #entry: QueueEntry | undefined;
  readonly #engine: Engine;
  readonly #target: Holdable;
  readonly #startedAt: number;
  readonly #watchdog: Watchdog;
  #abort: AbortController | undefined;
  #lost: LeaseLostError | undefined;
  #releasing: Promise<ReleaseOutcome> | undefined;

  /** @internal */
  constructor(engine: Engine, target: Holdable, granted: Granted, settings: LockSettings) {
    this.name = target.name;
    this.fencingToken = granted.fencingToken;
    this.#holderId = `${granted.holderId}:${granted.fencingToken}`;
    this.#entry = granted.entry;
    this.#engine = engine;
    this.#target = target;
    this.#startedAt = granted.startedAt;
    const endsAt = granted.startedAt + (settings.maxHoldMs ?? Number.POSITIVE_INFINITY);
    const watch = {
      ttlMs: settings.ttlMs,
      startedAt: granted.startedAt,
      leaseMs: granted.leaseMs,
      renew: settings.renew,
      endsAt,
    };
    this.#watchdog = new Watchdog(watch, engine.clock, engine.renewals, () => this.#watched());
    engine.leases.add(this);
  }

  /** The lease's value on the server, which proves ownership; treat it like a password. Not shown by `console.log` or JSON. */
  get holderId(): string {
    return this.#holderId;
  }

  /** How long this lease may still be trusted without another renewal, in ms by this process's own clock; 0 when over. */
  remainingMs(): number {
    this.#watchdog.check();
    return this.#watchdog.remainingMs();
  }

  /**
   * Aborted with a `LeaseLostError` as its reason no later than the moment the validity ends, Redis reachable or not; where
   * this process did not run at that moment (stopped, a blocked event loop, an overloaded machine), as soon as it runs.
   * Never aborted by a release.
   */
  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    this.#watchdog.check();
    if (this.#lost !== undefined && !this.#abort.signal.aborted) this.#abort.abort(this.#lost);
    return this.#abort.signal;
  }

  /** Why this lease ended before its release, or `undefined`. */
  get lost(): LeaseLostError | undefined {
    this.#watchdog.check();
    return this.#lost;
  }

  /**
   * Renews now, to `ttlMs` from here on when given (1 to 86,400,000). One round trip. Never rejects for a lost lease or an
   * unreachable server: `lost` and `unknown` are answers. `unknown` means no answer; the lease is good for `remainingMs()`.
   */
  async renew(ttlMs?: number): Promise<RenewOutcome> {
    return this.#watchdog.renewNow(ttlMs === undefined ? undefined : checkTtlMs(ttlMs));
  }

  /**
   * Gives back what is held, to the next waiter if there is one. One round trip. May be called again and concurrently: all
   * calls share one answer. Rejects with a `ConnectionError` when no answer comes within `commandTimeoutMs`: the
   * lease then ends by its ttl, since renewal has stopped.
   */
  release(): Promise<ReleaseOutcome> {
    this.#watchdog.check();
    this.#releasing ??= this.#release();
    return this.#releasing;
  }

  /** Releases, and leaves a release that failed to the lease's expiry (a `warning` event tells). */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.release().catch((error: Error) => {
      this.#engine.events.warn(
        'HOLDFAST_RELEASE_FAILED',
        `a release failed, its lease expires by itself: ${error.message}`,
      );
    });
  }

  /** @internal Ends the lease from our side: its signal aborts, then it is released. Never rejects. */
  async end(reason: LeaseLostReason): Promise<void> {
    if (this.#lost === undefined && this.#releasing === undefined) this.#lose(reason);
    await this[Symbol.asyncDispose]();
  }

  toJSON(): object {
    return { ...this.#told(), ...this.shown(), remainingMs: Math.round(this.remainingMs()) };
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    const state = this.#lost?.reason ?? `${Math.round(this.remainingMs())} ms left`;
    const shown = Object.entries({ ...this.#told(), ...this.shown() });
    const fields = shown.map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
    return `${this.constructor.name} { ${[...fields, state].join(', ')} }`;
  }

  /** What a kind of lease shows of itself besides. */
  protected shown(): object {
    return {};
  }

  #told() {
    return { name: this.name, fencingToken: this.fencingToken };
  }

  #watched() {
    const { events, clock, commandTimeoutMs } = this.#engine;
    const told = this.#told();
    return {
      renew: (ttlMs: number, until: number) => {
        const deadlineAt = Math.min(until, clock.now() + commandTimeoutMs);
        return this.#target.renew(this.#holderId, ttlMs, { deadlineAt });
      },
      renewed: (tookMs: number) =>
        events.emit('renewed', () => ({ ...told, tookMs, remainingMs: this.remainingMs() })),
      unknown: (error: unknown) =>
        events.emit('renewalUnknown', () => ({
          ...told,
          remainingMs: this.remainingMs(),
          error: error as Error,
        })),
      lost: (reason: LeaseLostReason) => this.#lose(reason),
    };
  }

  #lose(reason: LeaseLostReason): void {
    this.#watchdog.stop();
    this.#engine.leases.delete(this);
    this.#lost = new LeaseLostError(this.#target, reason);
    this.#abort?.abort(this.#lost);
    this.#engine.events.emit('lost', () => ({ ...this.#told(), heldMs: this.#heldMs(), reason }));
  }

  async #release(): Promise<ReleaseOutcome> {
    const { store, clock, events, leases } = this.#engine;
    const askedAt = clock.now();
    const validUntil = askedAt + this.#watchdog.remainingMs();
    const drops = store.drops;
    let resent = false;
    // Sent first: whoever waits for it gains by every microsecond.
    const replying = this.#engine.release(this.#target, this.#holderId, this.#entry, () => {
      resent = true;
    });
    this.#watchdog.stop();
    leases.delete(this);
    const reply = await replying;
    const outcome =
      // A renewal had found it gone: its time had not run out.
      this.#lost?.reason === 'lost'
        ? 'lost'
        : releaseOutcome(reply, {
            wasValid: validUntil > askedAt,
            stillValid: validUntil > clock.now(),
            // By us, or by a client that does so by itself.
            sentTwice: resent || store.drops !== drops,
          });
    if (outcome !== 'released' && this.#lost === undefined) this.#lose(outcome);
    const told = { ...this.#told(), heldMs: askedAt - this.#startedAt };
    if (reply === 'given') events.emit('handedOff', () => told);
    if (reply === 'mute') events.warn('HOLDFAST_NO_PUBLISH', NO_PUBLISH);
    events.emit('released', () => ({ ...told, tookMs: clock.now() - askedAt, outcome }));
    return outcome;
  }

  #heldMs(): number {
    return this.#engine.clock.now() - this.#startedAt;
  }
}

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
