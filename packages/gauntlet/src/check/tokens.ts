/** C3: whoever had its lease before another was asked for has the lower token; no two have the same. C7: who stood in the queue first, too. */
import type { Evidence, LeaseSeen } from './evidence.ts';
import { grouped } from './grouped.ts';
import { shown } from './shown.ts';
import type { Violation } from './violation.ts';

export function tokens({ leases }: Evidence): Violation[] {
  return [...grouped(leases, ({ name }) => name)].flatMap(([name, all]) => [
    ...twice(name, all),
    ...older(all, ({ from }) => from).map(saying('C3', `${name}: a later grant has a lower token`)),
  ]);
}

/** Only where nothing went wrong, and all asked for the same number of permits. */
export function arrival({ leases }: Evidence): Violation[] {
  return [...grouped(leases, ({ name }) => name)].flatMap(([name, all]) =>
    older(all, ({ queued = NEVER }) => queued).map(
      saying('C7', `${name}: it came later and was served earlier`),
    ),
  );
}

const NEVER = Number.POSITIVE_INFINITY;

const saying = (check: 'C3' | 'C7', what: string) => (lease: LeaseSeen) => ({
  check,
  text: `${what}: ${shown(lease)}`,
});

function twice(name: string, all: readonly LeaseSeen[]): Violation[] {
  const distinct = new Set(all.map(({ token }) => token)).size;
  return distinct === all.length ? [] : [{ check: 'C3', text: `${name}: two leases have one token` }];
}

/** Leases with a token below that of one that was certainly before them, in the sense of `sinceOf`. */
function older(all: readonly LeaseSeen[], sinceOf: (lease: LeaseSeen) => number): LeaseSeen[] {
  const first = [...all].sort((a, b) => sinceOf(a) - sinceOf(b));
  const byAsk = [...all].sort((a, b) => a.asked - b.asked);
  let highest = 0;
  let next = 0;
  return byAsk.filter(({ asked, token }) => {
    for (let one = first[next]; one !== undefined && sinceOf(one) < asked; one = first[++next])
      highest = Math.max(highest, one.token);
    return token <= highest;
  });
}
