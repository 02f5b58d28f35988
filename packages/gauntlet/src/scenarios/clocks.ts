/** Wall clocks that are wrong: a client's never matters; the server's ends leases early when it steps forward. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeClockShift } from '@holdfast/testkit';
import { contest } from '../arena/contest.ts';
import { stageOf } from '../arena/stage.ts';
import { type Outcome, outcomeOf, type Scenario } from './scenario.ts';

const HOUR_MS = 3_600_000;

/** Where the clock shim cannot be made, nothing is shown. */
async function clients(seed: number): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-clocks-'));
  try {
    await using stage = await stageOf();
    const env = await hourOff(folder);
    const result = await contest(stage, { workers: 6, durationMs: 5_000, ...(env && { env }) }, seed);
    const hits = [{ fault: 'clock of a process an hour off', hits: env ? 4 : 0, wanted: 4 }];
    return { ...outcomeOf({ what: '2 of 6 processes ahead, 2 behind', result }), hits };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function hourOff(folder: string): Promise<((worker: number) => Record<string, string>) | undefined> {
  const envs: Record<string, string>[] = [];
  for (const [name, ms] of [
    ['ahead', HOUR_MS],
    ['behind', -HOUR_MS],
  ] as const) {
    const own = join(folder, name);
    const shift = await makeClockShift(mkdtempSync(own));
    if ('unavailable' in shift) return undefined;
    shift.shift(ms);
    envs.push({ LD_PRELOAD: shift.library, ...shift.env });
  }
  return (worker) => envs[worker % 3] ?? {};
}

async function server(seed: number): Promise<Outcome> {
  await using stage = await stageOf({ clockShift: true });
  const planned = { clockForward: 6, clockBack: 6 };
  const result = await contest(stage, { workers: 5, ttlMs: 400, durationMs: 12_000, planned }, seed);
  return outcomeOf({ what: 'one server', result, wanted: { clockForward: 5, clockBack: 5 } });
}

export const clocks: Scenario = {
  id: 'clocks',
  what: 'wall clocks of clients and of the server that are wrong, and that step',
  onlyFull: true,
  async run({ seed }) {
    return [await clients(seed), await server(seed)];
  },
};
