/** `holdfast show`. */
import { type ConnectionOptions, openSession, type Session } from '../connect/session.ts';
import { person } from '../run/busy.ts';
import { shortly } from '../say/duration.ts';
import { EXIT } from '../say/exit.ts';
import { bold } from '../say/paint.ts';
import { jsonDocument, printable, table } from '../say/table.ts';
import { type Entry, type Holder, heldText, INSPECT } from './overview.ts';
import type { Kind } from './scan.ts';
import { readTrace, type Trace } from './trace.ts';

export async function show(name: string, options: ConnectionOptions): Promise<number> {
  await using session = await openSession(options);
  const entry = await lookUp(session, name);
  const trace = await readTrace(session, name);
  process.stdout.write(options.json ? jsonDocument({ ...entry, trace }) : detailText(entry, trace));
  return EXIT.ok;
}

/** A name is of one kind; the server tells which. */
export async function lookUp({ holdfast }: Session, name: string): Promise<Entry> {
  try {
    return await INSPECT.lock(holdfast, name);
  } catch (error) {
    const { found } = error as { found?: unknown };
    if (found !== 'semaphore' && found !== 'read-write lock') throw error;
    return await INSPECT[found](holdfast, name);
  }
}

export function detailText(entry: Entry, trace: readonly Trace[] = []): string {
  return [...facts(entry), ...holders(entry), ...queue(entry), ...waits(entry), ...traces(trace)]
    .join('\n')
    .concat('\n');
}

function facts(entry: Entry): string[] {
  const { name, kind, held, note, fencingToken, queueLength } = entry;
  const token = fencingToken === undefined ? [] : [`${held > 0 ? 'Token' : 'Last token'}:  ${fencingToken}`];
  return [
    `Name:     ${bold(printable(name))}`,
    `Kind:     ${kind}`,
    `State:    ${note ?? stateText(entry)}`,
    ...(kind === 'lock' ? token.map((line) => line.replace(/^Token: {2}/, 'Token:    ')) : []),
    `Waiting:  ${queueLength}`,
  ];
}

function stateText(entry: Entry): string {
  const { kind, held, limit } = entry;
  if (kind === 'semaphore') return `${held} of ${limit ?? '?'} permits held`;
  if (held === 0) return 'free';
  return kind === 'lock' ? 'held' : heldText(entry);
}

/** What a holder has, by kind. */
const OWN_COLUMNS: Record<Kind, readonly string[]> = {
  lock: [],
  semaphore: ['PERMITS', 'SLOTS'],
  'read-write lock': ['MODE'],
};

function holders({ holders: all, kind }: Entry): string[] {
  if (all.length === 0) return [];
  const head = ['HOLDER', 'ID', ...OWN_COLUMNS[kind], 'FOR', 'ENDS IN', 'TOKEN'];
  return [
    '',
    table(
      head,
      all.map((one) => holderRow(one, kind)),
    ).trimEnd(),
  ];
}

function holderRow(
  { holder, mode, permits, slots, heldForMs, remainingMs, fencingToken }: Holder,
  kind: Kind,
): string[] {
  const own: Record<Kind, readonly string[]> = {
    lock: [],
    semaphore: [String(permits), slots.join(',') || '-'],
    'read-write lock': [mode ?? '-'],
  };
  return [
    person(holder),
    holder.clientId,
    ...own[kind],
    shortly(heldForMs),
    shortly(remainingMs),
    String(fencingToken ?? '-'),
  ];
}

function queue({ queue: all, queueLength, kind }: Entry): string[] {
  if (all.length === 0) return [];
  const rows = all.map(({ waiter, wants, permits, waitedMs }, i) => [
    String(i + 1),
    person(waiter),
    waiter.clientId,
    wants ?? String(permits),
    shortly(waitedMs),
  ]);
  const what = kind === 'read-write lock' ? 'WANTS' : 'PERMITS';
  const more = queueLength > all.length ? [`and ${queueLength - all.length} more`] : [];
  return ['', table(['PLACE', 'WAITER', 'ID', what, 'WAITED'], rows).trimEnd(), ...more];
}

function waits({ waits: all }: Entry): string[] {
  if (all.length === 0) return [];
  const rows = all.map(({ process, holds, waitsFor, waitedMs }) => [
    holds,
    waitsFor,
    person(process),
    shortly(waitedMs),
  ]);
  return ['', table(['WHO HOLDS', 'WAITS FOR', 'PROCESS', 'WAITED'], rows).trimEnd()];
}

function traces(all: readonly Trace[]): string[] {
  if (all.length === 0) return [];
  const rows = all.map(({ at, by, outcome, holder, fencingToken }) => [
    at,
    outcome,
    holder ?? '-',
    String(fencingToken ?? '-'),
    by,
  ]);
  return ['', table(['RELEASED BY FORCE', 'OUTCOME', 'HOLDER', 'TOKEN', 'BY'], rows).trimEnd()];
}
