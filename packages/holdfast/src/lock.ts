/** The exclusive lock: a name and its rules. Holds no state, so it may be shared and called concurrently. */
import { acquire, tryOnce, type Wanted } from './acquisition.ts';
import { CoolingLock } from './cooldown.ts';
import type { ForceReleaseOutcome, Granted } from './grant.ts';
import { Hold } from './hold.ts';
import { heldHere } from './holding.ts';
import type { Instance } from './instance.ts';
import { Lease } from './lease.ts';
import {
  type AcquireOptions,
  checkAcquireOptions,
  checkToken,
  type LeaseSettings,
  type LockRules,
  withLeaseOptions,
} from './options.ts';
import type { Holdable, StoredLock } from './store/store.ts';
import { checkFunction, runUnder } from './use.ts';

export interface LockPart {
  readonly instance: Instance;
  readonly target: Holdable;
  /** Where it may be taken in one step with others. */
  readonly taken: StoredLock | undefined;
  readonly settings: LeaseSettings;
}

export class Lock {
  readonly name: string;
  readonly #instance: Instance;
  readonly #stored: StoredLock;
  readonly #target: Holdable;
  readonly #settings: LeaseSettings;
  readonly #reentrant: boolean;

  /** @internal */
  constructor(instance: Instance, stored: StoredLock, settings: LeaseSettings, rules: LockRules) {
    this.name = stored.name;
    this.#instance = instance;
    this.#stored = stored;
    this.#target = rules.cooldownMs > 0 ? new CoolingLock(stored, rules.cooldownMs) : stored;
    this.#settings = settings;
    this.#reentrant = rules.reentrant;
  }

  /**
   * Waits up to `waitMs` (default 10,000) in arrival order, and resolves with the lease. The release before it makes it the
   * holder: nobody polls, no newcomer overtakes. One round trip when the lock is free, one more command when it waits.
   *
   * Rejects with `AcquireTimeoutError` when others held it all that time, with `signal.reason` when `signal` aborts,
   * with `DeadlockError` when it would wait for ever (only for callers that hold something, see `within`),
   * with `WrongTypeError`, `ServerRefusedError` (no memory, no permission, …), `ConnectionError` (no answer) or `ClosedError`.
   * Whichever it is, nothing is left behind: no key, no place in the queue.
   */
  async acquire(options?: AcquireOptions): Promise<Lease> {
    const wanted = this.#wanted(options);
    return this.#again(wanted) ?? (await acquire(wanted));
  }

  /**
   * Resolves at once: with the lease, or `undefined` when somebody else holds the lock or waits for it. One round trip.
   * Rejects as `acquire` does, but never for contention. `waitMs` has no meaning here.
   */
  async tryAcquire(options?: AcquireOptions): Promise<Lease | undefined> {
    const wanted = this.#wanted(options);
    return this.#again(wanted) ?? (await tryOnce(wanted));
  }

  /**
   * Acquires, runs `fn`, releases, always. `fn`'s own error wins; if the lease was lost before `fn` settled, rejects with
   * `LeaseLostError`, since somebody else may have worked at the same time. Watch `lease.signal` inside.
   */
  async use<T>(fn: (lease: Lease) => T | Promise<T>, options?: AcquireOptions): Promise<T> {
    checkFunction(fn);
    return await runUnder(await this.acquire(options), fn);
  }

  /** @internal What `holdfast.all()` takes of it. */
  static partOf(lock: Lock): LockPart {
    const plain = !lock.#reentrant && lock.#target === lock.#stored;
    const taken = plain ? lock.#stored : undefined;
    return { instance: lock.#instance, target: lock.#target, taken, settings: lock.#settings };
  }

  /**
   * For operators: releases the lease with this fencing token (as `inspect` shows it) for its holder, and hands on to the next
   * waiter. Without a token: whatever is there, another library's lock too. A compare-and-delete: when somebody else holds it meanwhile, that
   * is `lost`, and nothing is done. The holder is not asked; it learns at its next renewal, a third of its ttl at most, and may work
   * until then. Two round trips. Rejects as `acquire` does.
   */
  async forceRelease(fencingToken?: number): Promise<ForceReleaseOutcome> {
    if (fencingToken !== undefined) checkToken(fencingToken);
    return await this.#instance.engine.forceRelease(this.#stored, fencingToken);
  }

  #wanted(options: AcquireOptions | undefined): Wanted<Lease> {
    checkAcquireOptions(options);
    const target = this.#target;
    const settings = withLeaseOptions(this.#settings, options);
    options?.signal?.throwIfAborted();
    const { engine, room, introduction } = this.#instance;
    engine.assertOpen(target);
    introduction.renew();
    const lease = (granted: Granted) => new Lease(new Hold(engine, target, granted, settings));
    const within = heldHere(engine, options?.within);
    return { engine, room, target, settings, signal: options?.signal, within, lease };
  }

  /** Another lease of what the caller holds already. */
  #again({ within, target }: Wanted<Lease>): Lease | undefined {
    if (!this.#reentrant) return undefined;
    const hold = within.find((one) => one.target.key === target.key && one.target.kind === 'lock');
    return hold && new Lease(hold.enter());
  }
}
