/** The exclusive lock: a name and its rules. Holds no state, so it may be shared and called concurrently. */
import { acquire, tryOnce, type Wanted } from './acquisition.ts';
import type { Engine } from './engine.ts';
import { argumentError } from './errors.ts';
import type { Introduction } from './introduction.ts';
import type { LockKeys } from './keys.ts';
import type { Lease } from './lease.ts';
import { type AcquireOptions, checkAcquireOptions, type LockSettings, withLockOptions } from './options.ts';
import type { WaitingRoom } from './waiting/waiting-room.ts';

/** What the locks of one Holdfast instance share. */
export interface Instance {
  readonly engine: Engine;
  readonly room: WaitingRoom;
  readonly introduction: Introduction;
}

export class Lock {
  readonly name: string;
  readonly #instance: Instance;
  readonly #keys: LockKeys;
  readonly #settings: LockSettings;

  /** @internal */
  constructor(instance: Instance, keys: LockKeys, settings: LockSettings) {
    this.name = keys.name;
    this.#instance = instance;
    this.#keys = keys;
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
    if (typeof fn !== 'function')
      throw argumentError('use(fn): expected a function to run under the lock as the first argument');
    const lease = await this.acquire(options);
    const result = await this.#run(fn, lease);
    // The release looks at the validity first, and learns whether it was still ours.
    await lease[Symbol.asyncDispose]();
    if (lease.lost !== undefined) throw lease.lost;
    return result;
  }

  async #run<T>(fn: (lease: Lease) => T | Promise<T>, lease: Lease): Promise<T> {
    try {
      return await fn(lease);
    } catch (error) {
      await lease[Symbol.asyncDispose]();
      throw error;
    }
  }

  #wanted(options: AcquireOptions | undefined): Wanted {
    checkAcquireOptions(options);
    const settings = withLockOptions(this.#settings, options);
    options?.signal?.throwIfAborted();
    const { engine, room, introduction } = this.#instance;
    engine.assertOpen(this.name);
    introduction.renew();
    return { engine, room, keys: this.#keys, settings, signal: options?.signal };
  }
}
