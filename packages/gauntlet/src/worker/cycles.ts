/**
 * C8 in one process: what is left of many acquires and releases. Told where and how many; says how the heap grew, which resources of the
 * process are more than before, and then has nothing that keeps it alive.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Holdfast } from 'holdfast';
import type { ClientKind, Place } from '../place.ts';
import { connectTo } from './connect.ts';

interface Settings {
  readonly place: Place;
  readonly client: ClientKind;
  readonly cycles: number;
}

/** What a run told. */
export interface Cycled {
  readonly grownBytes: number;
  /** Kinds of timers, sockets and so on that are there, and were not. */
  readonly resources: readonly string[];
}

const NAMES = 50;
const LANES = 10;
const WARM_UP = 2_000;
const PARTS = 5;
const CLOSED_MS = 500;
/** What this program itself has: its way to its parent. */
const OWN = new Set(['PipeWrap']);
const { place, client: kind, cycles } = JSON.parse(process.argv[2] ?? '') as Settings;
const before = process.getActiveResourcesInfo();

function heapBytes(): number {
  for (let i = 0; i < 3; i++) globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

/** Each lane has names of its own. */
async function cycle(holdfast: Holdfast, count: number): Promise<void> {
  const lane = async (_: unknown, first: number) => {
    for (let i = first; i < count; i += LANES) {
      const name = `gauntlet:cycle:${i % NAMES}`;
      const lease = await (i % 4 < 2
        ? holdfast.lock(name).acquire()
        : holdfast.semaphore(`${name}:seats`, { limit: 2 }).acquire());
      await lease.release();
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

const { client, end } = await connectTo(place, kind);
const holdfast = new Holdfast(client);
// Compiled, and with what is kept once.
await cycle(holdfast, WARM_UP);
const grownBytes = await growth();
await holdfast.close();
await end();
process.send?.({ grownBytes, resources: await leftOf(before) } satisfies Cycled);
process.disconnect();

/** Of all cycles, going by the middle one of their parts: a leak grows in each, but clients take something for themselves once. */
async function growth(): Promise<number> {
  const grown: number[] = [];
  for (let part = 0; part < PARTS; part++) {
    const before = heapBytes();
    await cycle(holdfast, cycles / PARTS);
    grown.push(heapBytes() - before);
  }
  grown.sort((a, b) => a - b);
  return (grown[PARTS >> 1] ?? 0) * PARTS;
}

/** Sockets need a moment to be gone. */
async function leftOf(before: readonly string[]): Promise<string[]> {
  for (const until = performance.now() + CLOSED_MS; ; await sleep(10)) {
    const left = [...process.getActiveResourcesInfo()];
    for (const one of before) if (left.includes(one)) left.splice(left.indexOf(one), 1);
    const ours = left.filter((one) => !OWN.has(one));
    if (ours.length === 0 || performance.now() > until) return ours;
  }
}
