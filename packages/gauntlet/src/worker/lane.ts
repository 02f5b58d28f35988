/**
 * One contender: asks, shows its hold to the resource, holds, shows it again right before its release, and begins anew. It does not look
 * whether it still holds, except where it then is blocked: there it looks, finds that all is well, and writes too late.
 * Where a stamp begins a hold it is taken late, and where it ends one, early.
 */
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../random.ts';
import { goodUntil } from './good-until.ts';
import type { Record } from './journal.ts';
import type { Pending } from './pending.ts';
import type { Resource } from './resource.ts';
import type { How, WorkerSettings } from './settings.ts';
import type { Contended, Hold } from './subject.ts';
import { whenLost } from './when-lost.ts';

export interface Lane {
  readonly settings: WorkerSettings;
  readonly contended: Contended;
  readonly resource: Resource;
  readonly record: Record;
  readonly pending: Pending;
  readonly random: Random;
  /** The holds of this process by name and token, for the events of the instance, which know no more of a lease. */
  readonly held: Map<string, { readonly id: string; readonly hold: Hold }>;
  readonly nextId: () => string;
  readonly ping: () => Promise<unknown>;
  readonly ending: () => boolean;
  /** It has waited once. */
  listens: boolean;
}

export const COMMAND_TIMEOUT_MS = 1_000;
const SHORT_MS = 40;
/** A healthy server's answer, and then its answer to the undo, may come so much after the end of a wait. */
const ANSWERS_MS = 100;
/** Somebody else has got the lock by then, and has written. */
const BLOCK_TTLS = 1.6;

export async function runLane(lane: Lane): Promise<void> {
  while (!lane.ending()) await turn(lane);
}

async function turn(lane: Lane): Promise<void> {
  const { settings, random, record } = lane;
  const name = random.pick(settings.names);
  const id = lane.nextId();
  const permits = permitsOf(lane);
  const hold = await ask(lane, { id, name, permits });
  if (hold === undefined) return sleep(random.below(5));
  const key = `${name} ${hold.fencingToken}`;
  lane.held.set(key, { id, hold });
  await work(lane, { id, name, permits }, hold);
  record('release', { id });
  const outcome = await release(lane, hold);
  lane.held.delete(key);
  record('released', { id, outcome });
}

function permitsOf({ settings: { subject }, random }: Lane): number {
  if (subject.kind === 'readWrite') return random.below(4) === 0 ? subject.limit : 1;
  if (subject.kind !== 'semaphore') return 1;
  return random.below(16) === 0 ? subject.limit : 1 + random.below(Math.min(2, subject.limit));
}

interface Wanted {
  readonly id: string;
  readonly name: string;
  readonly permits: number;
}

async function ask(lane: Lane, wanted: Wanted): Promise<Hold | undefined> {
  const { record, resource, settings } = lane;
  const { id, name, permits } = wanted;
  const how = draw(lane);
  record('ask', { id, name, how, permits });
  if (how === 'wait') resource.stands(id, name, true);
  try {
    const hold = await asked(lane, wanted, how);
    if (hold === undefined) return void record('none', { id, why: 'busy' });
    lane.listens ||= how === 'wait';
    record('got', { id, token: hold.fencingToken, slots: hold.slots, until: goodUntil(hold) });
    whenLost(hold.signal, () => record('lost', { id, reason: hold.signal.reason?.reason }));
    return hold;
  } catch (error) {
    const { name: why = '', message } = error as Error;
    const fine = endsBySelf(how, why) || settings.fine.includes(why) || shortly(settings, how, why);
    record(fine ? 'none' : 'fault', { id, why, what: `${how} for ${name}: ${why}: ${message}` });
    return undefined;
  } finally {
    if (how === 'wait') resource.stands(id, name, false);
  }
}

/** What a fault explains of an ask that ends before the fault does. */
const shortly = ({ fineShort }: WorkerSettings, how: How, why: string): boolean =>
  (how === 'short' || how === 'try') && fineShort.includes(why);

/** An answer that a crowd delays beyond a very short wait is none. */
const endsBySelf = (how: How, why: string): boolean =>
  (how === 'short' && (why === 'AcquireTimeoutError' || why === 'ConnectionError')) ||
  (how === 'abort' && why === 'TimeoutError');

function asked(lane: Lane, { id, name, permits }: Wanted, how: How): Promise<Hold | undefined> {
  const { waitMs } = lane.settings;
  const shortMs = lane.random.below(SHORT_MS);
  const signal = how === 'abort' ? AbortSignal.timeout(shortMs) : undefined;
  const waits = { try: undefined, short: shortMs, abort: waitMs, wait: waitMs, both: waitMs }[how];
  // So long it may ask replicas: a renewal, WAIT, and its answer.
  const replicasMs = lane.settings.minReplicas > 0 ? lane.settings.ttlMs : 0;
  // No wait at all is a try, which has the deadline of a command.
  const shortest = shortMs === 0 ? COMMAND_TIMEOUT_MS : shortMs;
  const endMs = { try: COMMAND_TIMEOUT_MS, short: shortest, abort: shortMs, wait: waitMs, both: waitMs }[how];
  const call = () => lane.contended.ask(name, { permits, waitMs: waits, signal });
  const asking = lane.pending.within(endMs + replicasMs + ANSWERS_MS, `${how} for ${name}`, call);
  if (lane.settings.ordered && how === 'wait') void noteQueued(lane, id);
  return asking;
}

/** So many commands may follow each other on the connection until a waiter stands in the queue: a try, and the join. */
const JOINING = 3;

/** Once a process listens, which its first wait sees to, whoever asked is in the queue before these round trips are over. */
async function noteQueued(lane: Lane, id: string): Promise<void> {
  if (!lane.listens) return;
  for (let i = 0; i < JOINING; i++) {
    await lane.ping();
    await setImmediate();
  }
  lane.record('queued', { id });
}

function draw({ settings: { mix }, random }: Lane): How {
  const all = Object.entries(mix) as [How, number][];
  let left = random.next() * all.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [how, weight] of all) {
    left -= weight;
    if (left < 0) return how;
  }
  return 'wait';
}

async function work(lane: Lane, { id, name, permits }: Wanted, hold: Hold): Promise<void> {
  const { settings, resource, random } = lane;
  const show = (what: 'enter' | 'leave') => resource.show({ id, name, what, permits, slots: hold.slots });
  await show('enter');
  const long = random.next() < settings.longHolds;
  const holdMs = long ? settings.ttlMs * random.between(1.1, 1.5) : random.between(0, settings.holdMs);
  if (holdMs > 0) await sleep(holdMs);
  if (random.next() < settings.blocks && !hold.signal.aborted) block(lane, id);
  await show('leave');
}

/** The event loop stands still, as in a long computation or a collection of garbage. */
function block({ settings, record }: Lane, id: string): void {
  const ms = settings.ttlMs * BLOCK_TTLS;
  record('block', { id, ms });
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

async function release(lane: Lane, hold: Hold): Promise<string> {
  try {
    return await lane.pending.within(COMMAND_TIMEOUT_MS, 'release', () => hold.release());
  } catch (error) {
    const { name, message } = error as Error;
    if (!lane.settings.fineReleases.includes(name))
      lane.record('fault', { what: `release: ${name}: ${message}` });
    return 'unknown';
  }
}
