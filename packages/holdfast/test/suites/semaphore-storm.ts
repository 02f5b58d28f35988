/**
 * The central promise of the counting semaphore, put to the test: 200 rounds of 64 contenders from 4 processes on a limit of 7, while
 * holders are killed and stopped for longer than their leases last, and the wall clocks of two processes are an hour off.
 * Never are more permits certainly held than there are, no work of a former holder is let through, nobody waits for
 * longer than he wanted, and no permit is lost.
 *
 * HOLDFAST_STORM_ROUNDS sets the number of rounds, HOLDFAST_STORM_SEED repeats the dice of a run (not its timing).
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually, type HistoryEvent, readHistory } from '../../../testkit/src/index.ts';
import { Holdfast } from '../../src/index.ts';
import type { Made } from './clients.ts';
import { Crew } from './storm/crew.ts';
import { violations } from './storm/observer.ts';
import { planRound } from './storm/plan.ts';
import { FencedResource, type Operation } from './storm/resource.ts';

const ROUNDS = Number(process.env.HOLDFAST_STORM_ROUNDS ?? 200);
const SEED = Number(process.env.HOLDFAST_STORM_SEED ?? Math.floor(Math.random() * 1e6));
const LIMIT = 7;
const TTL_MS = 400;
const WAIT_MS = 10_000;
const CONTENDERS_EACH = 16;
/** Rounds that run at the same time, on names of their own: where one has to wait for a dead holder's lease, others need not. */
const LANES = 4;

/** Where a storm takes place. */
export interface Place {
  /** The titles of the four processes' clients in `clients.ts`. */
  readonly titles: readonly string[];
  readonly ports: readonly number[];
  /** A client for this process. */
  open(): Promise<Made>;
  end(): Promise<unknown>;
}

interface Storm {
  /** Where the histories are, for its user to remove. */
  readonly folder: string;
  readonly history: readonly HistoryEvent[];
  readonly operations: readonly Operation[];
  readonly names: readonly string[];
  readonly faults: readonly string[];
  /** How often a process was killed and stopped. */
  readonly inflicted: { readonly kill: number; readonly stop: number };
}

interface StormOptions {
  readonly rounds: number;
  readonly limit?: number;
  readonly faults?: boolean;
  readonly clientClock?: boolean;
}

/** Runs the rounds, and gives what was seen. */
export async function storm(place: Place, options: StormOptions): Promise<Storm> {
  const { rounds, limit = LIMIT, faults = true, clientClock = false } = options;
  const { titles, ports } = place;
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-storm-'));
  const resource = new FencedResource();
  const settings = { titles, ports, folder, limit, ttlMs: TTL_MS, waitMs: WAIT_MS, clientClock };
  const crowd = { seed: SEED, limit, ttlMs: TTL_MS, processes: 4, contendersEach: CONTENDERS_EACH, faults };
  const crew = new Crew(settings, resource);
  const names = new Set<string>();
  let next = 0;
  const lane = async (i: number) => {
    for (let name = `storm:${i}`; next < rounds; ) {
      const plan = planRound(next++, crowd);
      if (plan.fresh) name = `storm:${i}:${plan.round}`;
      names.add(name);
      await crew.run(name, plan);
    }
  };
  try {
    await Promise.all(Array.from({ length: LANES }, (_, i) => lane(i)));
    await crew.end();
    const { faults, inflicted } = crew;
    const { operations } = resource;
    return { folder, history: readHistory(crew.files), operations, names: [...names], faults, inflicted };
  } finally {
    await crew[Symbol.asyncDispose]();
  }
}

export function semaphoreStorm(title: string, start: () => Promise<Place>): void {
  describe(`semaphore storm: ${title}`, () => {
    it(`never more than the limit, and no permit lost, in ${ROUNDS} rounds of ${4 * CONTENDERS_EACH} contenders`, async () => {
      const place = await start();
      const from = performance.now();
      try {
        const seen = await storm(place, { rounds: ROUNDS });
        tell(title, seen, performance.now() - from);
        expect(
          [...seen.faults, ...violations({ ...seen, limit: LIMIT })],
          `seed ${SEED}, histories in ${seen.folder}`,
        ).toEqual([]);
        await expectAllFree(place, seen.names);
        expectEnough(seen);
        rmSync(seen.folder, { recursive: true });
      } finally {
        await place.end();
      }
    }, 240_000);
  });
}

/** When everything has ended nothing is held, and all permits, with all slots, can be had at once. */
async function expectAllFree(place: Place, names: readonly string[]): Promise<void> {
  const { client, end } = await place.open();
  const holdfast = new Holdfast(client);
  for (const name of names) {
    const semaphore = holdfast.semaphore(name, { limit: LIMIT, slots: true });
    const free = async () => {
      const { held, leases } = await semaphore.inspect();
      return held === 0 && leases.length === 0;
    };
    await eventually(free, { withinMs: TTL_MS + 1_000, what: `nothing is held of ${name} (seed ${SEED})` });
    const lease = await semaphore.tryAcquire(LIMIT);
    expect(
      lease?.slots.map(({ slot }) => slot),
      `${name}, seed ${SEED}`,
    ).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(await lease?.release()).toBe('released');
    // Those who died in the queue are dropped when somebody takes or gives back, not before.
    expect(await semaphore.inspect()).toMatchObject({ limit: LIMIT, held: 0, leases: [], queueLength: 0 });
  }
  await holdfast.close();
  await end();
}

function counts({ history, operations }: Storm) {
  const count = (...types: string[]) => history.filter(({ type }) => types.includes(type)).length;
  return {
    asked: count('ask'),
    grants: count('got'),
    renewals: count('renewed'),
    lost: count('lost'),
    refused: operations.filter(({ accepted }) => !accepted).length,
  };
}

function tell(title: string, seen: Storm, ms: number): void {
  const numbers = Object.entries({ ...counts(seen), ...seen.inflicted }).map(([what, n]) => `${what} ${n}`);
  console.info(`\nStorm: ${title}: ${numbers.join(', ')}; ${(ms / 1000).toFixed(1)} s, seed ${SEED}\n`);
}

/** A storm that was none proves nothing. */
function expectEnough(seen: Storm): void {
  const { grants, renewals, refused } = counts(seen);
  expect(grants).toBeGreaterThan(ROUNDS * 30);
  if (ROUNDS < 100) return;
  expect(seen.inflicted.kill).toBeGreaterThan(5);
  expect(seen.inflicted.stop).toBeGreaterThan(5);
  expect(renewals).toBeGreaterThan(50);
  expect(refused).toBeGreaterThan(0);
}
