/** The counting semaphore: a name and its rules. Holds no state, so it may be shared and called concurrently. */
import { acquire, tryOnce, type Wanted } from './acquisition.ts';
import type { ForceReleaseOutcome, Granted } from './grant.ts';
import { Hold } from './hold.ts';
import { heldHere } from './holding.ts';
import { inspectSemaphore, type SemaphoreInspection } from './inspect/inspect-semaphore.ts';
import type { Instance } from './instance.ts';
import {
  checkLimit,
  checkPermitOptions,
  checkPermits,
  checkSemaphoreOptions,
  checkToken,
  type LeaseSettings,
  type SemaphoreAcquireOptions,
  type SemaphoreOptions,
  withLeaseOptions,
} from './options.ts';
import { SemaphoreLease } from './semaphore-lease.ts';
import type { StoredSemaphore } from './store/store.ts';
import { checkFunction, runUnder } from './use.ts';

export class Semaphore {
  readonly name: string;
  readonly #instance: Instance;
  readonly #stored: StoredSemaphore;
  readonly #limit: number | undefined;
  readonly #slots: boolean;
  readonly #settings: LeaseSettings;
  /** The server has another limit, which wins; or may have, since this object has set one. */
  #overruled = false;

  /** @internal */
  constructor(
    instance: Instance,
    name: string,
    options: SemaphoreOptions | undefined,
    defaults: LeaseSettings,
  ) {
    const { limit, slots } = checkSemaphoreOptions(options);
    this.#settings = withLeaseOptions(defaults, options);
    this.name = name;
    this.#instance = instance;
    this.#limit = limit;
    this.#slots = slots;
    const limitDiffers = (stored: number) => this.#limitDiffers(stored);
    this.#stored = instance.engine.store.semaphore(name, { limit, slots, limitDiffers });
  }

  /**
   * Resolves at once: with a lease of `permits` (default 1), or `undefined` when so many are not free, or others wait. One
   * round trip. Rejects as `acquire` does, but never for contention.
   */
  async tryAcquire(permits: number | SemaphoreAcquireOptions = 1): Promise<SemaphoreLease | undefined> {
    return await tryOnce(this.#wanted(permits));
  }

  /**
   * Waits up to `waitMs` (default 10,000) for `permits` (default 1), in strict arrival order: a request for many is not
   * overtaken by a request for one. Whatever frees permits (a release, a raised limit) grants them in the same step. One
   * round trip when they are free, one more command when it waits.
   *
   * Rejects with `AcquireTimeoutError` when others held them all that time, with `signal.reason` when `signal` aborts, with a
   * `RangeError` as soon as the limit is lower than `permits`, with a `TypeError` when no limit is known, and with
   * `WrongTypeError`, `ServerRefusedError`, `ConnectionError` or `ClosedError`. Whichever it is, nothing is left behind.
   */
  async acquire(options?: number | SemaphoreAcquireOptions): Promise<SemaphoreLease> {
    return await acquire(this.#wanted(options));
  }

  /**
   * Acquires, runs `fn`, releases, always. `fn`'s own error wins; if the lease was lost before `fn` settled, rejects with
   * `LeaseLostError`. Watch `lease.signal` inside.
   */
  async use<T>(
    fn: (lease: SemaphoreLease) => T | Promise<T>,
    options?: number | SemaphoreAcquireOptions,
  ): Promise<T> {
    checkFunction(fn);
    return await runUnder(await this.acquire(options), fn);
  }

  /**
   * Sets the stored limit, for everybody: 1 to 1,000,000. Raising it serves waiters at once; lowering it takes nothing from
   * anybody, but admits nobody until enough have left. Waiters for more than the new limit reject with a `RangeError`. One round trip
   * (one more per 500 waiters served). It is kept for 30 days, and for a day after each use.
   */
  async setLimit(limit: number): Promise<void> {
    checkLimit(limit);
    const { engine } = this.#instance;
    engine.assertOpen(this.#stored);
    this.#overruled = true;
    await this.#stored.setLimit(limit, engine.limits());
  }

  /**
   * The limit, who holds how many permits since when, and who waits. Reads only. One round trip, one more per 1,000 leases, and
   * one per process that takes part.
   */
  async inspect(): Promise<SemaphoreInspection> {
    const { engine } = this.#instance;
    engine.assertOpen(this.#stored);
    return await inspectSemaphore(engine, this.#stored);
  }

  /** @internal What `holdfast.all()` takes of it. */
  static partOf(semaphore: Semaphore): { readonly instance: Instance; readonly key: string } {
    return { instance: semaphore.#instance, key: semaphore.#stored.permits(1).key };
  }

  /**
   * For operators: releases the lease with this fencing token (as `inspect` shows it) for its holder, and serves waiters in the same
   * step. `expired` when there is no such lease. The holder is not asked; it learns at its next renewal, and may work until then. Two
   * round trips. Rejects as `acquire` does.
   */
  async forceRelease(fencingToken: number): Promise<ForceReleaseOutcome> {
    checkToken(fencingToken);
    return await this.#instance.engine.forceRelease(this.#stored, fencingToken);
  }

  #wanted(given: number | SemaphoreAcquireOptions | undefined): Wanted<SemaphoreLease> {
    const { permits: asked, ...options } = checkPermitOptions(given);
    const settings = withLeaseOptions(this.#settings, options);
    // The caller's own limit decides at once, unless the server is known to have another one.
    const permits = checkPermits(asked, this.#overruled ? undefined : this.#limit, this.#slots);
    options.signal?.throwIfAborted();
    const { engine, room, introduction } = this.#instance;
    engine.assertOpen(this.#stored);
    introduction.renew();
    const target = this.#stored.permits(permits);
    const lease = (granted: Granted) =>
      new SemaphoreLease(new Hold(engine, target, granted, settings), permits, granted);
    const within = heldHere(engine, options.within);
    return { engine, room, target, settings, signal: options.signal, within, lease };
  }

  #limitDiffers(stored: number): void {
    if (this.#overruled) return;
    this.#overruled = true;
    const { name } = this;
    const message = `semaphore ${JSON.stringify(name)}: the limit ${this.#limit} was asked for, but ${stored} is stored and counts; change it for everybody with setLimit()`;
    this.#instance.engine.events.warn('HOLDFAST_LIMIT_DIFFERS', message, name);
  }
}
