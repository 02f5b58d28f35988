/** The leases of several locks and semaphores that were acquired together, as one. */
import type { LeaseLostError } from './errors.ts';
import type { ReleaseOutcome } from './grant.ts';
import type { Lease } from './lease.ts';
import { checkTtlMs } from './options.ts';
import type { RenewOutcome } from './watchdog.ts';

export class LeaseSet implements AsyncDisposable {
  /** By name; each guards what its own lock protects. */
  readonly fencingTokens: Readonly<Record<string, number>>;
  #signal: AbortSignal | undefined;

  /** @internal */
  constructor(
    /** In the order in which they are taken everywhere. Those of semaphores are `SemaphoreLease`s. */
    readonly leases: readonly Lease[],
  ) {
    const byName: Record<string, number> = Object.create(null);
    for (const { name, fencingToken } of leases) byName[name] = fencingToken;
    this.fencingTokens = Object.freeze(byName);
  }

  /** How long all of them may still be trusted without another renewal, in ms by this process's own clock; 0 when one is over. */
  remainingMs(): number {
    return Math.min(...this.leases.map((lease) => lease.remainingMs()));
  }

  /** Aborted as soon as one of them is lost, with its `LeaseLostError` as the reason; see `Lease.signal`. */
  get signal(): AbortSignal {
    this.#signal ??= AbortSignal.any(this.leases.map(({ signal }) => signal));
    // Looking at one tells it of the time.
    for (const { signal } of this.leases) if (signal.aborted) break;
    return this.#signal;
  }

  /** Why the first of them that was lost ended before its release, or `undefined`. */
  get lost(): LeaseLostError | undefined {
    for (const { lost } of this.leases) if (lost !== undefined) return lost;
    return undefined;
  }

  /** Renews all now, together; `lost` when one is, `unknown` when one got no answer. See `Lease.renew`. */
  async renew(ttlMs?: number): Promise<RenewOutcome> {
    const checked = ttlMs === undefined ? undefined : checkTtlMs(ttlMs);
    const outcomes = await Promise.all(this.leases.map((lease) => lease.renew(checked)));
    return (['lost', 'unknown'] as const).find((one) => outcomes.includes(one)) ?? 'renewed';
  }

  /**
   * Gives all of them back, in one turn, each to its own next waiter. May be called again and concurrently. `released` when all were ours until now;
   * `expired` or `lost` when one was not. Rejects with a `ConnectionError` when one gets no answer; those end by their ttl.
   */
  async release(): Promise<ReleaseOutcome> {
    const outcomes = await Promise.all(this.leases.toReversed().map((lease) => lease.release()));
    return (['lost', 'expired'] as const).find((one) => outcomes.includes(one)) ?? 'released';
  }

  /** Releases, and leaves a release that failed to the lease's expiry (a `warning` event tells). */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.leases.toReversed().map((lease) => lease[Symbol.asyncDispose]()));
  }

  toJSON(): object {
    return { leases: this.leases.map((lease) => lease.toJSON()) };
  }
}
