/** C3: whoever had its lease before another was asked for has the lower token; no two have the same. C7: who stood in the queue first, too. */
import type { Evidence, LeaseSeen } from './evidence.ts';
import { grouped } from './grouped.ts';
import { shown } from './shown.ts';
import type { Violation } from './violation.ts';

export function tokens({ leases }: Evidence): Violation[] {
  return [...grouped(leases, ({ name }) => name)].flatMap(([name, all]) => [
    ...twice(name, all),
    ...older(all, ({ from }) => from).map(({ lease, before }) => ({
      ...saying('C3', `${name}: a later grant has a lower token`, lease),
      ...(lease.asked < before.from + TWO_MASTERS_MS && { span: { from: before.from, to: lease.to } }),
    })),
  ]);
}

/** Only where nothing went wrong, and all asked for the same number of permits. */
export function arrival({ leases }: Evidence): Violation[] {
  return [...grouped(leases, ({ name }) => name)].flatMap(([name, all]) =>
    older(all, ({ queued = NEVER }) => queued).map(({ lease }) =>
      saying('C7', `${name}: it came later and was served earlier`, lease),
    ),
  );
}

const NEVER = Number.POSITIVE_INFINITY;

/**
 * While a fail-over has two masters at work, neither knows what the other gives out, and the stamp of a client may be so much behind its
 * server's clock (`PROMPT_MS` in the library's plain-pair.ts, and the drift). Only a fault that loses what was promised explains that.
 */
const TWO_MASTERS_MS = 55;

const saying = <C extends 'C3' | 'C7'>(check: C, what: string, lease: LeaseSeen) => ({
  check,
  text: `${what}: ${shown(lease)}`,
});

function twice(name: string, all: readonly LeaseSeen[]): Violation[] {
  const distinct = new Set(all.map(({ token }) => token)).size;
  return distinct === all.length ? [] : [{ check: 'C3', text: `${name}: two leases have one token` }];
}

interface Reversed {
  readonly lease: LeaseSeen;
  /** It has the greater token. */
  readonly before: LeaseSeen;
}

/** Leases with a token below that of one that was certainly before them, in the sense of `sinceOf`. */
function older(all: readonly LeaseSeen[], sinceOf: (lease: LeaseSeen) => number): Reversed[] {
  const first = [...all].sort((a, b) => sinceOf(a) - sinceOf(b));
  const byAsk = [...all].sort((a, b) => a.asked - b.asked);
  let highest: LeaseSeen | undefined;
  let next = 0;
  return byAsk.flatMap((lease) => {
    for (let one = first[next]; one !== undefined && sinceOf(one) < lease.asked; one = first[++next])
      if (one.token > (highest?.token ?? 0)) highest = one;
    return highest !== undefined && lease.token <= highest.token ? [{ lease, before: highest }] : [];
  });
}
