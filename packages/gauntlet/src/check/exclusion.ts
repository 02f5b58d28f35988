/** C1: by their own belief no two hold a lock, no semaphore gives more than its limit, and no slot is two leases'. */
import type { Evidence, LeaseSeen } from './evidence.ts';
import { grouped } from './grouped.ts';
import { shown } from './shown.ts';
import type { Violation } from './violation.ts';

export function exclusion({ leases, limit }: Evidence): Violation[] {
  // A lock has one slot: that says the same.
  const slotted = limit > 1 ? leases : [];
  const parts = slotted.flatMap((lease) => lease.slots.map(([slot]) => ({ ...lease, slot, permits: 1 })));
  return [
    ...[...grouped(leases, ({ name }) => name)].flatMap(([name, all]) => overLimit(name, all, limit)),
    ...[...grouped(parts, ({ name, slot }) => `slot ${slot} of ${name}`)].flatMap(([slot, all]) =>
      overLimit(slot, all, 1),
    ),
  ];
}

interface Edge {
  readonly at: number;
  readonly lease: LeaseSeen;
  readonly begins: boolean;
}

/** In their order; an end before a beginning at the same time. */
function edges(all: readonly LeaseSeen[]): Edge[] {
  const both = all
    .filter(({ from, to }) => from < to)
    .flatMap((lease) => [
      { at: lease.from, lease, begins: true },
      { at: lease.to, lease, begins: false },
    ]);
  return both.sort((a, b) => a.at - b.at || Number(a.begins) - Number(b.begins));
}

/** Each time that the sum steps above the limit. */
function overLimit(what: string, all: readonly LeaseSeen[], limit: number): Violation[] {
  const now = new Set<LeaseSeen>();
  const found: Violation[] = [];
  let sum = 0;
  for (const { at, lease, begins } of edges(all)) {
    sum += begins ? lease.permits : -lease.permits;
    if (begins) now.add(lease);
    else now.delete(lease);
    if (begins && sum > limit) found.push(overlap(`${what}: ${sum} of ${limit} are held`, [...now], at));
  }
  return found;
}

function overlap(what: string, leases: readonly LeaseSeen[], at: number): Violation {
  const from = Math.min(...leases.map(({ asked }) => asked));
  return { check: 'C1', text: `${what}: ${leases.map(shown)}`, span: { from, to: at } };
}
