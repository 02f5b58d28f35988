/** All locks and semaphores with who holds them: what `ls` and `top` show. */
import type {
  Holdfast,
  Inspection,
  ProcessCard,
  ReadWriteInspection,
  SemaphoreInspection,
  WaitLink,
} from 'holdfast';
import { type Session, servers } from '../connect/session.ts';
import { type Bounds, type Cut, type Found, type Kind, scanLocks } from './scan.ts';

export interface Entry {
  readonly name: string;
  readonly kind: Kind;
  readonly limit: number | undefined;
  readonly held: number;
  readonly holders: readonly Holder[];
  readonly queueLength: number;
  /** The first 100. */
  readonly queue: readonly Waiter[];
  /** What its holders wait for, and so on: what waits `within` a lease have noted. */
  readonly waits: readonly WaitLink[];
  readonly fencingToken: number | undefined;
  /** Why no more can be told. */
  readonly note: string | undefined;
}

export interface Holder {
  readonly holder: ProcessCard;
  /** Of a read-write lock. */
  readonly mode?: 'read' | 'upgradeable' | 'write';
  readonly permits: number;
  readonly slots: readonly number[];
  readonly fencingToken: number | undefined;
  readonly heldForMs: number | undefined;
  readonly remainingMs: number | undefined;
}

interface Waiter {
  readonly waiter: ProcessCard;
  /** Of a read-write lock. */
  readonly wants?: 'read' | 'upgradeable' | 'write' | 'upgrade';
  readonly permits: number;
  readonly waitedMs: number;
}

export interface Overview {
  readonly entries: readonly Entry[];
  /** Keys looked at, on all servers. */
  readonly looked: number;
  readonly cut: Cut | undefined;
}

/** So many are inspected at a time. */
const AT_ONCE = 32;

export async function findAll(session: Session, pattern: string, bounds: Bounds) {
  const { connections, prefix } = session;
  const scans = await Promise.all(
    servers(connections).map(({ redis }) =>
      scanLocks(redis, prefix, pattern, bounds).catch((error: unknown) => {
        // A minority of a quorum may be down.
        if (session.quorum) return { found: [], looked: 0, cut: undefined };
        throw error;
      }),
    ),
  );
  const found = new Map(scans.flatMap((scan) => scan.found.map((one) => [one.name, one])));
  return {
    found: [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
    looked: scans.reduce((sum, { looked }) => sum + looked, 0),
    cut: scans.find(({ cut }) => cut !== undefined)?.cut,
  };
}

export async function overview(session: Session, pattern: string, bounds: Bounds): Promise<Overview> {
  const { found, looked, cut } = await findAll(session, pattern, bounds);
  const entries: Entry[] = [];
  for (let from = 0; from < found.length; from += AT_ONCE)
    entries.push(...(await Promise.all(found.slice(from, from + AT_ONCE).map((one) => look(session, one)))));
  return {
    entries: entries.filter(({ kind, held, queueLength }) => kind === 'semaphore' || held + queueLength > 0),
    looked,
    cut,
  };
}

async function look({ holdfast, quorum }: Session, { name, kind }: Found): Promise<Entry> {
  if (kind === 'slots' && !quorum) return hollow(name, kind, 'a node of a quorum: look with --quorum');
  try {
    return await INSPECT[kind === 'slots' ? 'semaphore' : kind](holdfast, name);
  } catch (error) {
    // Gone, or something else, since the scan.
    return hollow(name, kind, (error as Error).message);
  }
}

/** How each kind is asked for. */
export const INSPECT: Record<Kind, (holdfast: Holdfast, name: string) => Promise<Entry>> = {
  lock: async (holdfast, name) => lockEntry(await holdfast.inspect(name)),
  semaphore: async (holdfast, name) => semaphoreEntry(await holdfast.semaphore(name).inspect()),
  'read-write lock': async (holdfast, name) => readWriteEntry(await holdfast.readWrite(name).inspect()),
};

function hollow(name: string, kind: Found['kind'], note: string): Entry {
  const nothing = {
    limit: undefined,
    held: 0,
    holders: [],
    queueLength: 0,
    queue: [],
    waits: [],
    fencingToken: undefined,
  };
  return { name, kind: kind === 'slots' ? 'semaphore' : kind, ...nothing, note };
}

function lockEntry(seen: Inspection): Entry {
  const { name, state, foreign, holder, heldForMs, remainingMs, fencingToken, queueLength, queue, waits } =
    seen;
  const lease = { permits: 1, slots: [], fencingToken, heldForMs, remainingMs };
  return {
    name,
    kind: 'lock',
    limit: 1,
    held: state === 'held' ? 1 : 0,
    holders: holder === undefined ? [] : [{ holder, ...lease }],
    queueLength,
    queue: queue.map((one) => ({ ...one, permits: 1 })),
    waits,
    fencingToken,
    note: foreign ? foreignNote(remainingMs) : undefined,
  };
}

function foreignNote(remainingMs: number | undefined): string {
  return remainingMs === undefined
    ? 'held by another library, WITHOUT an expiry'
    : `held by another library, for ${Math.round(remainingMs)} ms more`;
}

function semaphoreEntry(seen: SemaphoreInspection): Entry {
  const { name, limit, held, leases, queueLength, queue, waits } = seen;
  return {
    name,
    kind: 'semaphore',
    limit,
    held,
    holders: leases,
    queueLength,
    queue,
    waits,
    fencingToken: undefined,
    note: undefined,
  };
}

function readWriteEntry({ name, leases, queueLength, queue }: ReadWriteInspection): Entry {
  return {
    name,
    kind: 'read-write lock',
    limit: undefined,
    held: leases.length,
    holders: leases.map((one) => ({ ...one, permits: 1, slots: [] })),
    queueLength,
    queue: queue.map((one) => ({ ...one, permits: 1 })),
    waits: [],
    fencingToken: undefined,
    note: undefined,
  };
}

/** `1/1` of a lock, `2/5` of a semaphore, `3 reading` or `writing` of a read-write lock. */
export function heldText({ kind, held, limit, holders }: Entry): string {
  if (kind !== 'read-write lock') return `${held}/${limit ?? '?'}`;
  if (held === 0) return '-';
  return holders.some(({ mode }) => mode === 'write') ? 'writing' : `${held} reading`;
}
