/** Holds of a read-write lock: one that reads, one that writes, one that reads and may become a writer. */
import { onAbort } from './abort.ts';
import { acquire } from './acquisition.ts';
import { argumentError, LeaseLostError, prefixed } from './errors.ts';
import type { Granted, ReleaseOutcome } from './grant.ts';
import { Hold } from './hold.ts';
import { heldHere } from './holding.ts';
import type { Instance } from './instance.ts';
import { Lease } from './lease.ts';
import { checkUpgradeOptions, type LeaseSettings, type UpgradeOptions, withLeaseOptions } from './options.ts';
import type { ReadWriteHoldable, ReadWriteMode, StoredReadWrite } from './store/store.ts';

/** What makes a lease of a read-write lock. */
export interface Held {
  readonly instance: Instance;
  readonly stored: StoredReadWrite;
  readonly target: ReadWriteHoldable;
  readonly granted: Granted;
  readonly settings: LeaseSettings;
}

/** Reads, together with others. */
export class ReadWriteLease extends Lease {
  readonly #target: ReadWriteHoldable;

  /** @internal */
  constructor({ instance, target, granted, settings }: Held) {
    super(new Hold(instance.engine, target, granted, settings));
    this.#target = target;
  }

  /** What it allows now: `read`, `upgradeable` (read, and become a writer) or `write`. */
  get mode(): ReadWriteMode {
    return this.#target.mode;
  }

  protected override shown(): object {
    return { mode: this.mode };
  }

  /** @internal */
  protected became(mode: ReadWriteMode): void {
    this.#target.mode = mode;
  }
}

/** Writes alone, until it is released or downgraded. */
export class WriteLease extends ReadWriteLease {
  readonly #held: Held;
  #downgrading: Promise<void> | undefined;
  #released = false;

  /** @internal */
  constructor(held: Held) {
    super(held);
    this.#held = held;
  }

  /**
   * From now on this lease reads, with the same fencing token: readers at the head of the queue get in at once, and no writer in between. One
   * round trip; once it is done further calls cost nothing. The `mode` is `read` from the call on, so write nothing after it.
   *
   * Rejects with a `LeaseLostError` when the lease was lost, with a `TypeError` when it was released, and with a `ConnectionError` or
   * `ServerRefusedError` when there was no answer or a refusal: call it again, or release.
   */
  downgrade(): Promise<void> {
    this.#downgrading ??= this.#downgrade().catch((error: unknown) => {
      this.#downgrading = undefined;
      throw error;
    });
    return this.#downgrading;
  }

  override release(): Promise<ReleaseOutcome> {
    this.#released = true;
    return super.release();
  }

  /** @internal Whoever has nothing any more cannot change it. */
  protected assertHeld(what: string): void {
    if (this.lost !== undefined) throw this.lost;
    if (this.#released)
      throw argumentError(
        prefixed(this.#held.stored, `${what}: this lease has been released; acquire again`),
      );
  }

  /** @internal The server does not know it: so that its signal says so too. */
  protected async notKnown(): Promise<LeaseLostError> {
    if (this.lost === undefined) await this.renew();
    return this.lost ?? new LeaseLostError(this.#held.stored, 'lost');
  }

  async #downgrade(): Promise<void> {
    this.assertHeld('downgrade');
    const { instance, stored } = this.#held;
    this.became('read');
    const reply = await stored.downgrade(this.holderId, instance.engine.limits());
    // A release that overtook it has done more than that.
    if (reply === 'gone' && !this.#released) throw await this.notKnown();
  }
}

/** Reads together with readers, one such lease at a time, and may become the writer. */
export class UpgradeableLease extends WriteLease {
  readonly #held: Held;
  #attempts = 0;
  #upgrading: Promise<void> | undefined;
  #stop: AbortController | undefined;

  /** @internal */
  constructor(held: Held) {
    super(held);
    this.#held = held;
  }

  /**
   * Waits up to `waitMs` (default: that of the lock) until the readers have left, and resolves when this lease is the writer: `mode` is `write` and
   * `fencingToken` a new one, greater than all before. It goes before everybody in the queue, and no new reader gets in while it waits. What
   * was read before is still true then, since nobody else wrote meanwhile. One round trip when nobody reads, one more command when it waits. Calls
   * at the same time share one wait, that of the first.
   *
   * Rejects with `AcquireTimeoutError`, with `signal.reason` when `signal` aborts, with `DeadlockError` when a reader waits for what this caller
   * holds, or with what `acquire` rejects with: then the lease is
   * what it was. With a `LeaseLostError` when it is lost meanwhile, with a `TypeError` when it was released or downgraded.
   */
  upgrade(options?: UpgradeOptions): Promise<void> {
    this.#upgrading ??= this.#upgrade(options).finally(() => {
      this.#upgrading = undefined;
    });
    return this.#upgrading;
  }

  override downgrade(): Promise<void> {
    this.#endWait('downgraded');
    return super.downgrade();
  }

  override release(): Promise<ReleaseOutcome> {
    this.#endWait('released');
    return super.release();
  }

  async #upgrade(options: UpgradeOptions | undefined): Promise<void> {
    checkUpgradeOptions(options);
    const { instance, stored, settings } = this.#held;
    options?.signal?.throwIfAborted();
    this.assertHeld('upgrade');
    if (this.mode === 'write') return;
    if (this.mode === 'read')
      throw argumentError(prefixed(stored, 'upgrade: this lease has been downgraded'));
    const { engine, room } = instance;
    engine.assertOpen(stored);
    const stop = new AbortController();
    const forget = [this.signal, options?.signal].map((one) => onAbort(one, () => stop.abort(one?.reason)));
    this.#stop = stop;
    try {
      await acquire({
        engine,
        room,
        target: stored.upgrade(this.holderId, () => ++this.#attempts),
        settings: withLeaseOptions(settings, options),
        signal: stop.signal,
        within: heldHere(engine, this),
        changes: Lease.holdOf(this),
        lease: (granted) => this.#writes(granted),
      });
    } catch (error) {
      throw error instanceof LeaseLostError ? await this.notKnown() : error;
    } finally {
      this.#stop = undefined;
      for (const one of forget) one();
    }
  }

  #endWait(what: string): void {
    const why = prefixed(this.#held.stored, `upgrade: the lease was ${what} meanwhile`);
    this.#stop?.abort(argumentError(why));
  }

  #writes({ fencingToken }: Granted): this {
    this.assertHeld('upgrade');
    // An abort that came after the grant has nothing to cancel, but a downgrade counts.
    if (this.mode !== 'upgradeable') throw this.#stop?.signal.reason;
    this.became('write');
    this.renamed(fencingToken);
    return this;
  }
}
