/** A process of the gauntlet. Contends in several lanes until it is told to end, and then ends by itself. */
import { Holdfast } from 'holdfast';
import { controls } from '../controls/index.ts';
import { derived, seeded } from '../random.ts';
import { type Connected, connectTo } from './connect.ts';
import { goodUntil } from './good-until.ts';
import { journal, type Record } from './journal.ts';
import { COMMAND_TIMEOUT_MS, type Lane, runLane } from './lane.ts';
import { Pending } from './pending.ts';
import { connectResource } from './resource.ts';
import type { WorkerSettings } from './settings.ts';
import { librarySeveral } from './several.ts';
import { type Contended, libraryLock, libraryReadWrite, librarySemaphore } from './subject.ts';

const settings = JSON.parse(process.argv[2] ?? '') as WorkerSettings;
const pending = new Pending();
let started = false;
const record: Record = journal(settings.file, {
  onTick: (ranMs) => pending.tick(ranMs),
  started: () => started,
});
pending.record = record;

const connected = await connectTo(settings.place, settings.client);
const { ttlMs, minReplicas } = settings;
const holdfast = new Holdfast(connected.client, {
  ttlMs,
  commandTimeoutMs: COMMAND_TIMEOUT_MS,
  ...(minReplicas > 0 && { minReplicas }),
});
const resource = await connectResource(settings.resource);

const held: Lane['held'] = new Map();
holdfast.on('warning', ({ code }) => record('warning', { code }));
holdfast.on('renewed', ({ name, fencingToken }) => {
  const one = held.get(`${name} ${fencingToken}`);
  if (one !== undefined) record('renewed', { id: one.id, until: goodUntil(one.hold) });
});

function contended({ client }: Connected): Contended {
  const { subject } = settings;
  if (subject.kind === 'lock') return libraryLock(holdfast, { ttlMs });
  if (subject.kind === 'several')
    return librarySeveral(holdfast, {
      ttlMs,
      names: settings.names,
      random: seeded(derived(settings.seed, -1)),
    });
  if (subject.kind === 'semaphore')
    return librarySemaphore(holdfast, { ttlMs, limit: subject.limit, slots: subject.slots });
  if (subject.kind === 'readWrite') return libraryReadWrite(holdfast, { ttlMs, limit: subject.limit });
  const make = controls[subject.control];
  if (make === undefined) throw new Error(`there is no control ${subject.control}`);
  return make(client as never, { ttlMs, limit: subject.limit, odd: settings.seed % 2 !== 0 });
}

let ids = 0;
let ending = false;
const subject = contended(connected);

function lane(index: number): Lane {
  return {
    settings,
    contended: subject,
    resource,
    record,
    pending,
    random: seeded(derived(settings.seed, index)),
    held,
    nextId: () => `${process.pid}:${++ids}`,
    ping: connected.ping,
    ending: () => ending,
    listens: false,
  };
}

async function finish(lanes: readonly Promise<void>[]): Promise<void> {
  ending = true;
  await Promise.all(lanes);
  await pending.within(2 * COMMAND_TIMEOUT_MS, 'close', () => holdfast.close());
  await connected.end();
  resource.close();
  record('closed');
  // From here on nothing may keep the process alive.
  process.disconnect();
}

process.once('message', () => {
  const lanes = Array.from({ length: settings.lanes }, (_, index) => runLane(lane(index)));
  process.once('message', () => void finish(lanes));
});
started = true;
process.send?.('ready');
