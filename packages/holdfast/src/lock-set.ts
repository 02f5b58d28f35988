/**
 * Several locks and semaphores, all or nothing. Free plain locks of one server (in a Cluster: of one slot) are taken by one script. Otherwise, and
 * when one is taken, they are acquired one after the other, in the same order everywhere, so that two who want the same never block each
 * other; each is waited for in its own queue. Whoever gets no further gives back what it has, the last first.
 */
import { tryOnce } from './acquisition.ts';
import { AcquireTimeoutError, argumentError, quote } from './errors.ts';
import type { Granted } from './grant.ts';
import { Hold } from './hold.ts';
import { heldHere } from './holding.ts';
import type { Instance } from './instance.ts';
import { Lease } from './lease.ts';
import { LeaseSet } from './lease-set.ts';
import { Lock, type LockPart } from './lock.ts';
import {
  type AcquireOptions,
  checkAcquireOptions,
  type HeldLease,
  type LeaseOptions,
  type LeaseSettings,
  withLeaseOptions,
} from './options.ts';
import { Semaphore } from './semaphore.ts';
import { checkFunction, runUnder } from './use.ts';

/** What `holdfast.all()` takes: a lock, its name, or a semaphore with how many permits (default 1). */
export type AllPart =
  | string
  | Lock
  | Semaphore
  | { readonly semaphore: Semaphore; readonly permits?: number };

interface Part {
  readonly name: string;
  /** Sorts it, and tells it from all others. */
  readonly key: string;
  readonly lock: LockPart | undefined;
  acquire(options: AcquireOptions): Promise<Lease>;
  tryAcquire(options: AcquireOptions): Promise<Lease | undefined>;
}

export class LockSet {
  /** In the order in which they are taken. */
  readonly names: readonly string[];
  readonly #instance: Instance;
  readonly #parts: readonly Part[];
  readonly #options: LeaseOptions;
  readonly #settings: LeaseSettings;

  /** @internal */
  constructor(
    instance: Instance,
    given: readonly AllPart[],
    lockOf: (name: string) => Lock,
    options: LeaseOptions | undefined,
    defaults: LeaseSettings,
  ) {
    this.#settings = withLeaseOptions(defaults, options);
    this.#options = options ?? {};
    this.#instance = instance;
    this.#parts = inOrder(given.map((one) => partOf(one, instance, lockOf)));
    this.names = this.#parts.map(({ name }) => name);
  }

  /**
   * Waits up to `waitMs` (default 10,000) for all of them, each in arrival order. One round trip for plain locks that are free, in a Cluster where
   * they share a slot; else one for each. Rejects as `Lock.acquire` does, with `LeaseLostError` when one that it had was lost while it
   * waited for another, and then holds none.
   */
  async acquire(options?: AcquireOptions): Promise<LeaseSet> {
    const all = this.#with(options);
    return (await this.#atOnce(all)) ?? (await this.#oneByOne(all));
  }

  /** Resolves at once: with all of them, or `undefined` when one is taken, and then holds none. Round trips as for `acquire`. */
  async tryAcquire(options?: AcquireOptions): Promise<LeaseSet | undefined> {
    const all = this.#with(options);
    return (await this.#atOnce(all)) ?? (await this.#tryEach(all));
  }

  /**
   * Acquires all, runs `fn`, releases, always. `fn`'s own error wins; if one was lost before `fn` settled, rejects with its
   * `LeaseLostError`. Watch `leases.signal` inside.
   */
  async use<T>(fn: (leases: LeaseSet) => T | Promise<T>, options?: AcquireOptions): Promise<T> {
    checkFunction(fn);
    return await runUnder(await this.acquire(options), fn);
  }

  #with(options: AcquireOptions | undefined): AcquireOptions {
    checkAcquireOptions(options);
    withLeaseOptions(this.#settings, options);
    options?.signal?.throwIfAborted();
    heldHere(this.#instance.engine, options?.within);
    return { ...this.#options, ...options };
  }

  /** `undefined` where they cannot be taken in one step, now or ever. */
  async #atOnce(options: AcquireOptions): Promise<LeaseSet | undefined> {
    const { engine, room, introduction } = this.#instance;
    const plain = this.#parts.flatMap(({ lock }) => lock ?? []);
    const stored = plain.flatMap(({ taken }) => taken ?? []);
    const each = plain.map(({ settings }) => withLeaseOptions(settings, options));
    const [settings] = each;
    if (settings === undefined || stored.length < this.#parts.length || stored.length === 1) return undefined;
    const alike = each.every(
      ({ ttlMs, maxHoldMs }) => ttlMs === settings.ttlMs && maxHoldMs === settings.maxHoldMs,
    );
    const target = alike ? engine.store.together?.(stored) : undefined;
    if (target === undefined) return undefined;
    engine.assertOpen(target);
    introduction.renew();
    const lease = (granted: Granted) =>
      new LeaseSet(
        plain.map((one, i) => new Lease(new Hold(engine, one.target, granted, each[i] ?? settings))),
      );
    return tryOnce({ engine, room, target, settings, signal: options.signal, within: [], lease });
  }

  async #oneByOne(options: AcquireOptions): Promise<LeaseSet> {
    const { clock } = this.#instance.engine;
    const startedAt = clock.now();
    const waitMs = options.waitMs ?? this.#settings.waitMs;
    const left = () => Math.max(0, Math.ceil(startedAt + waitMs - clock.now()));
    const next = (part: Part, held: readonly Lease[]) =>
      part.acquire({ ...options, ...together(options, held), waitMs: left() });
    return this.#allOrNone(next).catch((error: unknown) => {
      if (!(error instanceof AcquireTimeoutError)) throw error;
      const busy = this.#parts.find(({ name }) => name === error.lockName);
      const kind = busy?.lock === undefined ? 'semaphore' : 'lock';
      throw new AcquireTimeoutError({ kind, name: busy?.name ?? '' }, clock.now() - startedAt);
    }) as Promise<LeaseSet>;
  }

  #tryEach(options: AcquireOptions): Promise<LeaseSet | undefined> {
    return this.#allOrNone((part, held) => part.tryAcquire({ ...options, ...together(options, held) }));
  }

  async #allOrNone(
    next: (part: Part, held: readonly Lease[]) => Promise<Lease | undefined>,
  ): Promise<LeaseSet | undefined> {
    const held: Lease[] = [];
    try {
      for (const part of this.#parts) {
        const lease = await next(part, held);
        if (lease === undefined) return void (await giveBack(held));
        held.push(lease);
      }
      return new LeaseSet(held);
    } catch (error) {
      await giveBack(held);
      throw error;
    }
  }
}

/** What has been acquired so far counts as held by the next wait, which ends when one of it is lost. */
function together({ signal, within = [] }: AcquireOptions, held: readonly Lease[]) {
  if (held.length === 0) return {};
  const signals = [...(signal === undefined ? [] : [signal]), ...held.map((lease) => lease.signal)];
  const around: readonly HeldLease[] = [within].flat();
  return { within: [...around, ...held], signal: AbortSignal.any(signals) };
}

async function giveBack(held: readonly Lease[]): Promise<void> {
  for (const lease of held.toReversed()) await lease[Symbol.asyncDispose]();
}

function inOrder(parts: readonly Part[]): Part[] {
  if (parts.length === 0)
    throw argumentError('all(): expected at least one lock, name or semaphore, got an empty list');
  const byKey = new Map<string, Part>();
  for (const part of parts) {
    const twin = byKey.get(part.key);
    if (twin !== undefined && (twin.lock === undefined || part.lock === undefined))
      throw argumentError(
        `all(): ${quote(part.name)} is there twice; say how many permits of it with { semaphore, permits }`,
      );
    byKey.set(part.key, twin ?? part);
  }
  return [...byKey.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
}

function partOf(one: AllPart, instance: Instance, lockOf: (name: string) => Lock): Part {
  if (typeof one === 'string') return partOf(lockOf(one), instance, lockOf);
  if (one instanceof Lock) return lockPart(one, instance);
  if (one instanceof Semaphore) return semaphorePart(one, 1, instance);
  if (typeof one === 'object' && one !== null && one.semaphore instanceof Semaphore)
    return semaphorePart(one.semaphore, one.permits ?? 1, instance);
  throw argumentError(
    'all(): expected a list of names, locks, semaphores, or { semaphore, permits } of this Holdfast instance',
  );
}

function lockPart(lock: Lock, instance: Instance): Part {
  const part = Lock.partOf(lock);
  assertOurs(part.instance, instance, lock.name);
  return {
    name: lock.name,
    key: part.target.key,
    lock: part,
    acquire: (options) => lock.acquire(options),
    tryAcquire: (options) => lock.tryAcquire(options),
  };
}

function semaphorePart(semaphore: Semaphore, permits: number, instance: Instance): Part {
  const part = Semaphore.partOf(semaphore);
  assertOurs(part.instance, instance, semaphore.name);
  return {
    name: semaphore.name,
    key: part.key,
    lock: undefined,
    acquire: (options) => semaphore.acquire({ ...options, permits }),
    tryAcquire: (options) => semaphore.tryAcquire({ ...options, permits }),
  };
}

function assertOurs(theirs: Instance, ours: Instance, name: string): void {
  if (theirs !== ours)
    throw argumentError(`all(): ${quote(name)} belongs to another Holdfast instance; make it with this one`);
}
