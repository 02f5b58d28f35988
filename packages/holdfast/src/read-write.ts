/** The read-write lock: a name with three sides that are acquired. Holds no state, so it may be shared and called concurrently. */
import { acquire, tryOnce, type Wanted } from './acquisition.ts';
import type { ForceReleaseOutcome, Granted } from './grant.ts';
import { heldHere } from './holding.ts';
import { inspectReadWrite, type ReadWriteInspection } from './inspect/inspect-read-write.ts';
import type { Instance } from './instance.ts';
import {
  type AcquireOptions,
  checkAcquireOptions,
  checkToken,
  type LeaseSettings,
  withLeaseOptions,
} from './options.ts';
import { type Held, ReadWriteLease, UpgradeableLease, WriteLease } from './read-write-lease.ts';
import type { ReadWriteMode, StoredReadWrite } from './store/store.ts';
import { checkFunction, runUnder } from './use.ts';

export class ReadWrite {
  readonly name: string;
  /** Many at a time, and no writer. */
  readonly read: ReadWriteSide<ReadWriteLease>;
  /** One, and nobody else. Its lease can become a reader: `lease.downgrade()`. */
  readonly write: ReadWriteSide<WriteLease>;
  /** One at a time, together with readers. Its lease can become the writer: `lease.upgrade()`. */
  readonly upgradeable: ReadWriteSide<UpgradeableLease>;
  readonly #instance: Instance;
  readonly #stored: StoredReadWrite;

  /** @internal */
  constructor(instance: Instance, stored: StoredReadWrite, settings: LeaseSettings) {
    this.name = stored.name;
    this.#instance = instance;
    this.#stored = stored;
    const place = { instance, stored, settings };
    this.read = new ReadWriteSide(place, 'read', (held) => new ReadWriteLease(held));
    this.write = new ReadWriteSide(place, 'write', (held) => new WriteLease(held));
    this.upgradeable = new ReadWriteSide(place, 'upgradeable', (held) => new UpgradeableLease(held));
  }

  /**
   * Who reads, who writes and who waits for what. Reads only. One round trip, one more per 1,000 leases, and one per process that takes
   * part.
   */
  async inspect(): Promise<ReadWriteInspection> {
    const { engine } = this.#instance;
    engine.assertOpen(this.#stored);
    return await inspectReadWrite(engine, this.#stored);
  }

  /**
   * For operators: releases the lease with this fencing token (as `inspect` shows it), whatever its mode, for its holder, and serves
   * waiters in the same step. `expired` when there is no such lease. The holder is not asked; it learns at its next renewal, and may work
   * until then. Two round trips. Rejects as `inspect` does.
   */
  async forceRelease(fencingToken: number): Promise<ForceReleaseOutcome> {
    checkToken(fencingToken);
    return await this.#instance.engine.forceRelease(this.#stored, fencingToken);
  }
}

interface Place {
  readonly instance: Instance;
  readonly stored: StoredReadWrite;
  readonly settings: LeaseSettings;
}

/** One side of a read-write lock, with the calls of a lock. All sides share one queue. */
export class ReadWriteSide<L extends ReadWriteLease> {
  readonly name: string;
  readonly #place: Place;
  readonly #mode: ReadWriteMode;
  readonly #lease: (held: Held) => L;

  /** @internal */
  constructor(place: Place, mode: ReadWriteMode, lease: (held: Held) => L) {
    this.name = place.stored.name;
    this.#place = place;
    this.#mode = mode;
    this.#lease = lease;
  }

  /**
   * Waits up to `waitMs` (default 10,000) in strict arrival order, readers and writers in one queue: readers that stand together get in together,
   * and nobody overtakes. One round trip when it is free, one more command when it waits.
   *
   * Rejects with `AcquireTimeoutError` when others were in the way all that time, with `signal.reason` when `signal` aborts,
   * with `DeadlockError` when it would wait for ever (only for callers that hold something, see `within`),
   * with `WrongTypeError`, `ServerRefusedError` (no memory, no permission, …), `ConnectionError` (no answer) or `ClosedError`.
   * Whichever it is, nothing is left behind: no lease, no place in the queue.
   */
  async acquire(options?: AcquireOptions): Promise<L> {
    return await acquire(this.#wanted(options));
  }

  /**
   * Resolves at once: with the lease, or `undefined` when others are in the way or wait. One round trip.
   * Rejects as `acquire` does, but never for contention. `waitMs` has no meaning here.
   */
  async tryAcquire(options?: AcquireOptions): Promise<L | undefined> {
    return await tryOnce(this.#wanted(options));
  }

  /**
   * Acquires, runs `fn`, releases, always. `fn`'s own error wins; if the lease was lost before `fn` settled, rejects with
   * `LeaseLostError`, since somebody else may have written at the same time. Watch `lease.signal` inside.
   */
  async use<T>(fn: (lease: L) => T | Promise<T>, options?: AcquireOptions): Promise<T> {
    checkFunction(fn);
    return await runUnder(await this.acquire(options), fn);
  }

  #wanted(options: AcquireOptions | undefined): Wanted<L> {
    checkAcquireOptions(options);
    const { instance, stored } = this.#place;
    const target = stored.side(this.#mode);
    const settings = withLeaseOptions(this.#place.settings, options);
    options?.signal?.throwIfAborted();
    const { engine, room, introduction } = instance;
    engine.assertOpen(stored);
    introduction.renew();
    const lease = (granted: Granted) => this.#lease({ instance, stored, target, granted, settings });
    const within = heldHere(engine, options?.within);
    return { engine, room, target, settings, signal: options?.signal, within, lease };
  }
}
