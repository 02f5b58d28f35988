/** What a lane contends for, in one shape: the library's lock and semaphore, and the wrong ones of `controls/`. */
import type { Holdfast } from 'holdfast';
import type { Random } from '../random.ts';

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

interface Settings {
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

/** A hold of `name` and of another one: taken together, or the other one first and `name` within it. */
export function librarySeveral(
  holdfast: Holdfast,
  { ttlMs, names, random }: Settings & { readonly names: readonly string[]; readonly random: Random },
): Contended {
  return {
    async ask(name, ask) {
      const other = random.pick(names.filter((one) => one !== name));
      return random.below(2) === 0
        ? together(holdfast, [name, other], ttlMs, ask)
        : nested(holdfast, [other, name], ttlMs, ask);
    },
  };
}

const waiting = ({ waitMs, signal }: Ask) => ({
  ...(waitMs !== undefined && { waitMs }),
  ...(signal && { signal }),
});

async function together(
  holdfast: Holdfast,
  [name, other]: readonly [string, string],
  ttlMs: number,
  ask: Ask,
): Promise<Hold | undefined> {
  const both = holdfast.all([name, other], { ttlMs });
  const leases = await (ask.waitMs === undefined ? both.tryAcquire() : both.acquire(waiting(ask)));
  const own = leases?.leases.find((one) => one.name === name);
  if (leases === undefined || own === undefined) return undefined;
  // Of this name: the other lease may have ended before.
  const release = async () => (await Promise.all([own.release(), leases.release()]))[0];
  return { ...holdOf(own, [[0, own.fencingToken]]), release };
}

async function nested(
  holdfast: Holdfast,
  [other, name]: readonly [string, string],
  ttlMs: number,
  ask: Ask,
): Promise<Hold | undefined> {
  const until = performance.now() + (ask.waitMs ?? 0);
  const take = (one: string, more: object) => {
    const lock = holdfast.lock(one, { ttlMs });
    if (ask.waitMs === undefined) return lock.tryAcquire(more);
    const waitMs = Math.max(0, Math.floor(until - performance.now()));
    return lock.acquire({ ...waiting(ask), ...more, waitMs });
  };
  const outer = await take(other, {});
  if (outer === undefined) return undefined;
  const inner = await take(name, { within: outer }).catch(async (error: unknown) => {
    await outer.release().catch(() => {});
    throw error;
  });
  if (inner === undefined) return void (await outer.release());
  const release = async () => {
    const outcome = await inner.release();
    await outer.release();
    return outcome;
  };
  return { ...holdOf(inner, [[0, inner.fencingToken]]), release };
}

type Lease = Omit<Hold, 'slots'>;

function holdOf(lease: Lease, slots: Hold['slots']): Hold {
  return {
    fencingToken: lease.fencingToken,
    slots,
    signal: lease.signal,
    remainingMs: () => lease.remainingMs(),
    release: () => lease.release(),
  };
}
