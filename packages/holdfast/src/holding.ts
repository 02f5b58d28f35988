/** What the running code holds: of the `use` calls that it is inside of, and of what it says itself (`within`). */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Engine } from './engine.ts';
import { argumentError } from './errors.ts';
import type { Hold } from './hold.ts';
import { Lease } from './lease.ts';
import type { HeldLease } from './options.ts';

const here = new AsyncLocalStorage<readonly Hold[]>();
const NOTHING: readonly Hold[] = [];

/** Runs `fn` as a holder of that lease, and all that it starts. */
export function holding<T>(lease: HeldLease, fn: () => T): T {
  return here.run([...(here.getStore() ?? NOTHING), ...holdsOf(lease)], fn);
}

/**
 * What is held here of this instance, and neither released nor lost.
 * @throws TypeError for a `within` that is no lease, or another instance's
 */
export function heldHere(
  engine: Engine,
  within: HeldLease | readonly HeldLease[] | undefined,
): readonly Hold[] {
  const around = here.getStore();
  if (around === undefined && within === undefined) return NOTHING;
  const named = within === undefined ? NOTHING : [within].flat().flatMap(holdsOf);
  if (named.some((hold) => hold.engine !== engine))
    throw argumentError('within: expected a lease of this Holdfast instance, got one of another');
  const all = [...(around ?? NOTHING), ...named];
  return [...new Set(all)].filter((hold) => hold.engine === engine && hold.isHeld);
}

/** The leases of `holdfast.all()` are several. */
function holdsOf(one: HeldLease): readonly Hold[] {
  const leases: readonly unknown[] =
    typeof one === 'object' && one !== null && 'leases' in one && Array.isArray(one.leases)
      ? one.leases
      : [one];
  return leases.map((lease) => {
    if (!(lease instanceof Lease))
      throw argumentError('within: expected a lease that acquire() gave, or a list of them');
    return Lease.holdOf(lease);
  });
}
