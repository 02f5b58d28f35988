/** Inflicts what is scheduled, and writes it down. */
import { setTimeout as sleep } from 'node:timers/promises';
import { openHistory } from '@holdfast/testkit';
import type { Arena, Fault } from '../faults/fault.ts';
import { derived, seeded } from '../random.ts';
import type { Blow } from './schedule.ts';

/** Whoever was to be hit may just have been killed, or be starting. */
const AGAIN = 3;
const AGAIN_MS = 250;

export interface Inflicted {
  /** By fault. */
  readonly hits: ReadonlyMap<string, number>;
  readonly errors: readonly string[];
}

/** Resolves when the last blow is over. */
export async function inflict(
  arena: Arena,
  blows: readonly Blow[],
  faults: Readonly<Record<string, Fault>>,
  file: string,
): Promise<Inflicted> {
  const history = openHistory(file);
  const hits = new Map<string, number>();
  const errors: string[] = [];
  const startedAt = performance.now();

  async function strike({ fault: name, seed }: Blow, fault: Fault): Promise<void> {
    let from = process.hrtime.bigint();
    let hit = await fault.strike(arena, seeded(seed));
    for (let again = 1; hit === undefined && again <= AGAIN; again++) {
      await sleep(AGAIN_MS);
      from = process.hrtime.bigint();
      hit = await fault.strike(arena, seeded(derived(seed, again)));
    }
    if (hit === undefined) return;
    hits.set(name, (hits.get(name) ?? 0) + 1);
    const told = { graceMs: fault.graceMs(arena.ttlMs), erasing: fault.erasing === true };
    history.record({ type: 'strike', fault: name, from, to: process.hrtime.bigint(), ...hit, ...told });
  }

  let before: Promise<unknown> = Promise.resolve();
  function inTurn(one: Blow, fault: Fault): Promise<void> {
    if (!fault.alone) return strike(one, fault);
    const turn = before.then(() => strike(one, fault));
    before = turn.catch(() => {});
    return turn;
  }

  async function blow(one: Blow): Promise<void> {
    const fault = faults[one.fault];
    if (fault === undefined) throw new Error(`there is no fault ${one.fault}`);
    await sleep(Math.max(0, one.atMs - (performance.now() - startedAt)));
    await inTurn(one, fault).catch((error) => void errors.push(`${one.fault}: ${error?.stack ?? error}`));
  }

  await Promise.all(blows.map(blow));
  history.close();
  return { hits, errors };
}
