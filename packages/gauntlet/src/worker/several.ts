/** Contenders that hold more than one lease at a time. */
import type { Holdfast } from 'holdfast';
import type { Random } from '../random.ts';
import { type Ask, type Contended, type Hold, holdOf, type Settings } from './subject.ts';

/** A hold of `name` and of another one: taken together, or the other one first and `name` within it, or `name` twice by re-entry. */
export function librarySeveral(
  holdfast: Holdfast,
  { ttlMs, names, random }: Settings & { readonly names: readonly string[]; readonly random: Random },
): Contended {
  return {
    async ask(name, ask) {
      const other = random.pick(names.filter((one) => one !== name));
      const draw = random.below(5);
      if (draw === 0) return nested(holdfast, [name, name], ttlMs, ask);
      return draw % 2 === 0
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
    const lock = holdfast.lock(one, { ttlMs, reentrant: true });
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
