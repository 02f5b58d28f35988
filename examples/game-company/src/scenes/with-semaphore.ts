import { setTimeout as sleep } from 'node:timers/promises';
import { bad, good, ms, number } from '@holdfast/example-common';
import { withTallies } from '../judge.ts';
import type { Guarded } from '../result.ts';
import { LIMIT } from '../rules.ts';
import { Rush } from './rush.ts';
import type { Stage } from './stage.ts';

const WORK_MS = 3_000;

export async function withSemaphore(stage: Stage): Promise<Guarded> {
  const { screen, processes } = stage;
  screen.heading('2  With a semaphore');
  screen.say(
    `   A semaphore is a lock with several seats: ${LIMIT} for each account, shared by all`,
    '   processes. A worker takes a seat, calls, and gives it back. If all are taken,',
    '   tryAcquire() says so at once, and the worker tries another account.',
  );
  const rush = new Rush(stage, true);
  await sleep(WORK_MS);
  const { judged, tallies } = await rush.end(processes);
  const result = withTallies(judged, tallies);
  screen.say(...outcome(result));
  return result;
}

function outcome({ calls, refused, highest, busy, busyMedianMs, busyP99Ms, tookMs }: Guarded): string[] {
  const paint = refused > 0 || highest > LIMIT ? bad : good;
  const verdict = paint(`${number(refused)} refused, at most ${highest} at once`);
  return [
    `   ${number(calls)} calls in ${number(tookMs / 1000, 1)} s: ${verdict}.`,
    `   "Busy, try later" ${number(busy)} times, told after ${ms(busyMedianMs)} (median), ${ms(busyP99Ms)} (p99).`,
  ];
}
