/**
 * Judges a storm by what its processes wrote down and by what the resource saw. A lease is certainly held from the moment
 * its `acquire` had resolved until its release was called, it was told lost, or its validity ended by its holder's monotonic clock,
 * whichever came first; and that of a process that was killed or stopped until its validity ended. CLOCK_MONOTONIC is one clock for all
 * processes of a machine, so the holds of all of them can be laid side by side.
 */
import type { HistoryEvent } from '../../../../testkit/src/index.ts';
import type { Operation } from './resource.ts';

interface Hold {
  readonly id: string;
  readonly name: string;
  readonly permits: number;
  readonly token: number;
  readonly slots: readonly number[];
  readonly slotted: boolean;
  /** When it was asked for, and from when until when it was certainly held; ns. */
  readonly asked: bigint;
  readonly from: bigint;
  readonly to: bigint;
  /** When its validity ended or would have. */
  readonly validUntil: bigint;
}

export interface Seen {
  readonly history: readonly HistoryEvent[];
  readonly operations: readonly Operation[];
  readonly limit: number;
}

/** Everything that must not be, in words; empty when all is well. */
export function violations({ history, operations, limit }: Seen): string[] {
  const all = holds(history);
  const byName = grouped(all, ({ name }) => name).values();
  return [
    ...history.flatMap(fault),
    ...takenAway(history, all),
    ...[...byName].flatMap((ofName) => [...overLimit(ofName, limit), ...tokensNotGrowing(ofName)]),
    ...wrongSlots(all, limit),
    ...sharedSlots(all),
    ...refusedHolders(all, operations),
    ...interleaved(operations),
  ];
}

function holds(history: readonly HistoryEvent[]): Hold[] {
  const asked = new Map<string, bigint>();
  const found = new Map<string, { -readonly [K in keyof Hold]: Hold[K] }>();
  for (const event of history) {
    const { t, type, id } = event as HistoryEvent & { id: string };
    const validUntil = t + BigInt(Math.floor(Number(event.remainingMs ?? 0) * 1e6));
    if (type === 'ask') asked.set(id, t);
    if (type === 'got') {
      const fields = event as unknown as Hold;
      found.set(id, { ...fields, asked: asked.get(id) ?? t, from: t, to: FOR_EVER, validUntil });
    }
    const one = found.get(id);
    if (one === undefined) continue;
    if (type === 'renewed' && validUntil > one.validUntil) one.validUntil = validUntil;
    if ((type === 'release' || type === 'lost') && t < one.to) one.to = t;
  }
  return [...found.values()].map((one) => ({ ...one, to: least(one.to, one.validUntil) }));
}

const FOR_EVER = 2n ** 63n;
const least = (a: bigint, b: bigint) => (a < b ? a : b);

/** What a process itself found wrong. */
function fault(event: HistoryEvent): string[] {
  const { type, id, what, plan } = event;
  if (type === 'fault') return [String(what)];
  if (type === 'stuck')
    return [`${id} neither got nor was refused: ${JSON.stringify(plan)} in ${event.name}`];
  return [];
}

/** Told while it is valid that it is gone: its permits may be somebody else's. */
function takenAway(history: readonly HistoryEvent[], all: readonly Hold[]): string[] {
  const validUntil = new Map(all.map((hold) => [hold.id, hold.validUntil]));
  const told = history.filter(
    ({ t, id, reason, outcome }) =>
      (reason === 'lost' || outcome === 'lost' || outcome === 'expired') &&
      t < (validUntil.get(String(id)) ?? 0n),
  );
  return told.map(({ id, name, type }) => `${name}: ${id} was gone, although valid, when it was ${type}`);
}

function grouped<T>(all: readonly T[], keyOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const group = groups.get(keyOf(one));
    if (group === undefined) groups.set(keyOf(one), [one]);
    else group.push(one);
  }
  return groups;
}

interface Edge {
  readonly at: bigint;
  readonly hold: Hold;
  readonly begins: boolean;
}

/** In their order; an end before a beginning at the same time. */
function edges(all: readonly Hold[]): Edge[] {
  const proper = all.filter(({ from, to }) => from < to);
  const both = proper.flatMap((hold) => [
    { at: hold.from, hold, begins: true },
    { at: hold.to, hold, begins: false },
  ]);
  return both.sort((a, b) => Number(a.at - b.at) || Number(a.begins) - Number(b.begins));
}

/** The first moment at which more than `limit` permits are certainly held. */
function overLimit(ofName: readonly Hold[], limit: number): string[] {
  const now = new Set<Hold>();
  let sum = 0;
  for (const { hold, begins } of edges(ofName)) {
    sum += begins ? hold.permits : -hold.permits;
    if (begins) now.add(hold);
    else now.delete(hold);
    if (sum > limit) return [`${hold.name}: ${sum} permits of ${limit} are held: ${[...now].map(shown)}`];
  }
  return [];
}

/** Tokens are unique, and whoever had got one before another was asked for has the lower one. */
function tokensNotGrowing(ofName: readonly Hold[]): string[] {
  const unique = new Set(ofName.map(({ token }) => token)).size === ofName.length;
  const byGrant = [...ofName].sort((a, b) => Number(a.from - b.from));
  const byAsk = [...ofName].sort((a, b) => Number(a.asked - b.asked));
  let before: Hold | undefined;
  let next = 0;
  const older = byAsk.filter((hold) => {
    for (; (byGrant[next]?.from ?? FOR_EVER) < hold.asked; next++)
      if ((byGrant[next]?.token ?? 0) > (before?.token ?? 0)) before = byGrant[next];
    return before !== undefined && hold.token <= before.token;
  });
  const name = ofName[0]?.name;
  return [
    ...(unique ? [] : [`${name}: two leases have one token`]),
    ...older.map((hold) => `${name}: a later grant has a lower token: ${shown(hold)}`),
  ];
}

function wrongSlots(all: readonly Hold[], limit: number): string[] {
  const wrong = all.filter(({ slots, slotted, permits }) => {
    const distinct = new Set(slots.filter((slot) => slot >= 0 && slot < limit)).size;
    return distinct !== slots.length || distinct !== (slotted ? permits : 0);
  });
  return wrong.map((hold) => `${hold.name}: these are no slots: ${shown(hold)}`);
}

function sharedSlots(all: readonly Hold[]): string[] {
  const parts = all.flatMap((hold) => hold.slots.map((slot) => ({ ...hold, slot, permits: 1 })));
  const bySlot = grouped(parts, ({ name, slot }) => `${name} ${slot}`);
  return [...bySlot].flatMap(([slot, all]) => overLimit(all, 1).map((text) => `slot ${slot}: ${text}`));
}

/** Fencing turns away who holds no more, never who certainly holds. */
function refusedHolders(all: readonly Hold[], operations: readonly Operation[]): string[] {
  const byId = new Map(all.map((hold) => [hold.id, hold]));
  const wrong = operations.filter(({ accepted, id, t }) => {
    const hold = byId.get(id);
    return !accepted && hold !== undefined && hold.from <= t && t < hold.to;
  });
  return wrong.map(({ name, slot, id }) => `${name}: the holder ${id} of slot ${slot} was refused`);
}

/** Nobody works on a slot, then another, then the first again. */
function interleaved(operations: readonly Operation[]): string[] {
  const accepted = operations.filter((one) => one.accepted);
  const bySlot = grouped(accepted, ({ name, slot }) => `${name} ${slot}`);
  return [...bySlot].flatMap(([slot, ofSlot]) => {
    const turns = ofSlot.filter(({ id }, i) => id !== ofSlot[i - 1]?.id);
    const again = new Set(turns.map(({ id }) => id)).size < turns.length;
    const back = turns.some(({ token }, i) => token < (turns[i - 1]?.token ?? 0));
    return again || back ? [`slot ${slot}: work of two leases is mixed`] : [];
  });
}

function shown({ id, permits, token, slots, from, to }: Hold): string {
  return `\n  ${permits} by ${id} with token ${token}, slots [${slots}], from ${from} to ${to}`;
}
