/** C2: at the resource accepted tokens never go back and no two leases' work is mixed; and whoever certainly holds is not refused. */
import type { Evidence, LeaseSeen, Write } from './evidence.ts';
import { grouped } from './grouped.ts';
import type { Violation } from './violation.ts';

export function register({ writes, leases }: Evidence): Violation[] {
  const accepted = writes.filter((one) => one.accepted);
  const bySlot = grouped(accepted, ({ name, slot }) => `slot ${slot} of ${name}`);
  return [...[...bySlot].flatMap(([slot, all]) => stale(all).map(late(slot))), ...refused(writes, leases)];
}

const late =
  (slot: string) =>
  (id: string): Violation => ({ check: 'C2', text: `${slot}: a late write of ${id} was accepted` });

function refused(writes: readonly Write[], leases: readonly LeaseSeen[]): Violation[] {
  const byId = new Map(leases.map((lease) => [lease.id, lease]));
  return writes.flatMap(({ accepted, id, name, slot, at }) => {
    const lease = byId.get(id);
    if (accepted || lease === undefined || !(lease.from <= at && at < lease.to)) return [];
    const text = `slot ${slot} of ${name}: its holder ${id} was refused`;
    return [{ check: 'C2', text, span: { from: lease.asked, to: at } }];
  });
}

/** Accepted writes that came after another lease's with a greater token, or after another's in between. */
function stale(all: readonly Write[]): string[] {
  const found: string[] = [];
  const over = new Set<string>();
  let highest = 0;
  for (const [i, { id, token }] of all.entries()) {
    const before = all[i - 1];
    if (before !== undefined && before.id !== id) over.add(before.id);
    if (token < highest || over.has(id)) found.push(id);
    highest = Math.max(highest, token);
  }
  return found;
}
