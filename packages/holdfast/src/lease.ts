/** One hold, bounded in time. Only `acquire`, `tryAcquire` and `use` make leases. */
import { argumentError, type LeaseLostError } from './errors.ts';
import type { ReleaseOutcome } from './grant.ts';
import { checkGuarded, type GuardedCommand } from './guard.ts';
import type { Hold } from './hold.ts';
import { checkTtlMs } from './options.ts';
import type { RenewOutcome } from './watchdog.ts';

export class Lease implements AsyncDisposable {
  readonly name: string;
  /** Grows with every grant of this name. Send it along with what you do under the lock, and refuse older ones there. */
  readonly fencingToken: number;
  readonly #hold: Hold;
  #released: Promise<ReleaseOutcome> | undefined;

  /** @internal */
  constructor(hold: Hold) {
    this.name = hold.target.name;
    this.fencingToken = hold.fencingToken;
    this.#hold = hold;
  }

  /** @internal */
  static holdOf(lease: Lease): Hold {
    return lease.#hold;
  }

  /** The lease's value on the server, which proves ownership; treat it like a password. Not shown by `console.log` or JSON. */
  get holderId(): string {
    return this.#hold.value;
  }

  /** How long this lease may still be trusted without another renewal, in ms by this process's own clock; 0 when over. */
  remainingMs(): number {
    return this.#released === undefined ? this.#hold.remainingMs() : 0;
  }

  /**
   * Aborted with a `LeaseLostError` as its reason no later than the moment the validity ends, Redis reachable or not; where
   * this process did not run at that moment (stopped, a blocked event loop, an overloaded machine), as soon as it runs.
   * Never aborted by a release.
   */
  get signal(): AbortSignal {
    return this.#hold.signal;
  }

  /** Why this lease ended before its release, or `undefined`. */
  get lost(): LeaseLostError | undefined {
    return this.#hold.lost;
  }

  /**
   * Renews now, to `ttlMs` from here on when given (1 to 86,400,000). One round trip. Never rejects for a lost lease or an
   * unreachable server: `lost` and `unknown` are answers. `unknown` means no answer; the lease is good for `remainingMs()`.
   */
  async renew(ttlMs?: number): Promise<RenewOutcome> {
    const checked = ttlMs === undefined ? undefined : checkTtlMs(ttlMs);
    return this.#released === undefined ? this.#hold.renew(checked) : 'lost';
  }

  /**
   * Runs Redis commands in one step, only if the lease is still held at that moment: `[['SET', key, value], ['INCR', other]]`. For data that lives on the
   * lock's own server, in a Cluster in its slot (`{tag}` in both names). At most once, also when a connection breaks; calls run one after the other.
   * One round trip. Resolves with one reply for each. Rejects with `LeaseLostError` and has done nothing when the lease is over, with
   * `GuardedWriteError` when one was refused, with a `ConnectionError` when no answer came (whether it ran is unknown), with a `TypeError` for a released
   * lease, a semaphore's, one over several servers or in memory, and for bad commands.
   */
  async guard(commands: readonly GuardedCommand[]): Promise<unknown[]> {
    const checked = checkGuarded(commands);
    if (this.#released !== undefined) throw argumentError('guard: this lease has been released');
    return await this.#hold.guard(checked);
  }

  /**
   * Gives back what is held, to the next waiter if there is one. One round trip. May be called again and concurrently: all
   * calls share one answer. Rejects with a `ConnectionError` when no answer comes within `commandTimeoutMs`: the
   * lease then ends by its ttl, since renewal has stopped.
   */
  release(): Promise<ReleaseOutcome> {
    this.#released ??= this.#hold.leave();
    return this.#released;
  }

  /** Releases, and leaves a release that failed to the lease's expiry (a `warning` event tells). */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#hold.quietly(this.release());
  }

  toJSON(): object {
    return { ...this.#hold.told(), ...this.shown(), remainingMs: Math.round(this.remainingMs()) };
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    const state = this.lost?.reason ?? `${Math.round(this.remainingMs())} ms left`;
    const shown = Object.entries({ ...this.#hold.told(), ...this.shown() });
    const fields = shown.map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
    return `${this.constructor.name} { ${[...fields, state].join(', ')} }`;
  }

  /** @internal An upgrade gave it a new token. */
  protected renamed(fencingToken: number): void {
    this.#hold.fencingToken = fencingToken;
    Object.assign(this, { fencingToken });
  }

  /** What a kind of lease shows of itself besides. */
  protected shown(): object {
    return {};
  }
}
