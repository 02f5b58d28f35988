/** What a lane contends for, in one shape: the library's lock, semaphore and read-write lock, and the wrong ones of `controls/`. */
import type { Holdfast } from 'holdfast';

/** A hold. */
export interface Hold {
  readonly fencingToken: number;
  /** What it shows to the resource: its token, or one for each of its slots. */
  readonly slots: readonly (readonly [slot: number, token: number])[];
  readonly signal: AbortSignal;
  remainingMs(): number;
  /** Resolves with `released`, `expired` or `lost`. */
  release(): Promise<string>;
}

export interface Ask {
  readonly permits: number;
  /** `undefined`: not at all. */
  readonly waitMs: number | undefined;
  readonly signal: AbortSignal | undefined;
}

export interface Contended {
  /** `undefined`: busy. */
  ask(name: string, ask: Ask): Promise<Hold | undefined>;
}

export interface Settings {
  readonly ttlMs: number;
}

export function libraryLock(holdfast: Holdfast, { ttlMs }: Settings): Contended {
  return {
    async ask(name, { waitMs, signal }) {
      const lock = holdfast.lock(name, { ttlMs });
      const lease = await (waitMs === undefined
        ? lock.tryAcquire()
        : lock.acquire({ waitMs, ...(signal && { signal }) }));
      return lease && holdOf(lease, [[0, lease.fencingToken]]);
    },
  };
}

export function librarySemaphore(
  holdfast: Holdfast,
  { ttlMs, limit, slots }: Settings & { readonly limit: number; readonly slots: boolean },
): Contended {
  return {
    async ask(name, { permits, waitMs, signal }) {
      const semaphore = holdfast.semaphore(name, { ttlMs, limit, slots });
      const lease = await (waitMs === undefined
        ? semaphore.tryAcquire({ permits })
        : semaphore.acquire({ permits, waitMs, ...(signal && { signal }) }));
      return (
        lease &&
        holdOf(
          lease,
          lease.slots.map(({ slot, fencingToken }) => [slot, fencingToken] as const),
        )
      );
    },
  };
}

/** A read-write lock, of which a writer has the whole weight; only writers write. */
export function libraryReadWrite(
  holdfast: Holdfast,
  { ttlMs, limit }: Settings & { readonly limit: number },
): Contended {
  return {
    async ask(name, { permits, waitMs, signal }) {
      const lock = holdfast.readWrite(name, { ttlMs });
      const writes = permits === limit;
      const side = writes ? lock.write : lock.read;
      const lease = await (waitMs === undefined
        ? side.tryAcquire()
        : side.acquire({ waitMs, ...(signal && { signal }) }));
      return lease && holdOf(lease, writes ? [[0, lease.fencingToken]] : []);
    },
  };
}

type Lease = Omit<Hold, 'slots'>;

export function holdOf(lease: Lease, slots: Hold['slots']): Hold {
  return {
    fencingToken: lease.fencingToken,
    slots,
    signal: lease.signal,
    remainingMs: () => lease.remainingMs(),
    release: () => lease.release(),
  };
}
