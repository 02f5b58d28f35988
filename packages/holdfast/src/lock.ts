/** The exclusive lock: a name and its rules. Holds no state, so it may be shared and called concurrently. */
import { acquire, tryOnce, type Wanted } from './acquisition.ts';
import type { Granted } from './grant.ts';
import type { Instance } from './instance.ts';
import { Lease } from './lease.ts';
import { type AcquireOptions, checkAcquireOptions, type LockSettings, withLockOptions } from './options.ts';
import type { Holdable } from './store/store.ts';
import { checkFunction, runUnder } from './use.ts';

export class Lock {
  readonly name: string;
  readonly #instance: Instance;
  readonly #target: Holdable;
  readonly #settings: LockSettings;

  /** @internal */
  constructor(instance: Instance, target: Holdable, settings: LockSettings) {
    this.name = target.name;
    this.#instance = instance;
    this.#target = target;
    this.#settings = settings;
  }

  /**
   * Waits up to `waitMs` (default 10,000) in arrival order, and resolves with the lease. The release before it makes it the
   * holder: nobody polls, no newcomer overtakes. One round trip when the lock is free, one more command when it waits.
   *
   * Rejects with `AcquireTimeoutError` when others held it all that time, with `signal.reason` when `signal` aborts,
   * with `WrongTypeError`, `ServerRefusedError` (no memory, no permission, …), `ConnectionError` (no answer) or `ClosedError`.
   * Whichever it is, nothing is left behind: no key, no place in the queue.
   */
  async acquire(options?: AcquireOptions): Promise<Lease> {
    return await acquire(this.#wanted(options));
  }

  /**
   * Resolves at once: with the lease, or `undefined` when somebody else holds the lock or waits for it. One round trip.
   * Rejects as `acquire` does, but never for contention. `waitMs` has no meaning here.
   */
  async tryAcquire(options?: AcquireOptions): Promise<Lease | undefined> {
    return await tryOnce(this.#wanted(options));
  }

  /**
   * Acquires, runs `fn`, releases, always. `fn`'s own error wins; if the lease was lost before `fn` settled, rejects with
   * `LeaseLostError`, since somebody else may have worked at the same time. Watch `lease.signal` inside.
   */
  async use<T>(fn: (lease: Lease) => T | Promise<T>, options?: AcquireOptions): Promise<T> {
    checkFunction(fn);
    return await runUnder(await this.acquire(options), fn);
  }

  #wanted(options: AcquireOptions | undefined): Wanted<Lease> {
    checkAcquireOptions(options);
    const target = this.#target;
    const settings = withLockOptions(this.#settings, options);
    options?.signal?.throwIfAborted();
    const { engine, room, introduction } = this.#instance;
    engine.assertOpen(target);
    introduction.renew();
    const lease = (granted: Granted) => new Lease(engine, target, granted, settings);
    return { engine, room, target, settings, signal: options?.signal, lease };
  }
}
