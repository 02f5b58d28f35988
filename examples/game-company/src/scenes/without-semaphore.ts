import { setTimeout as sleep } from 'node:timers/promises';
import { bad, number } from '@holdfast/example-common';
import type { Judged } from '../result.ts';
import { BLOCKED_MS, LIMIT } from '../rules.ts';
import { Rush } from './rush.ts';
import type { Stage } from './stage.ts';

const WORK_MS = 2_000;

export async function withoutSemaphore(stage: Stage): Promise<Judged> {
  const { screen, processes } = stage;
  screen.heading('1  Without a semaphore');
  screen.say(
    '   Each worker calls when it likes; nobody knows how many others call right now.',
    `   Over ${LIMIT} at once, the marketplace refuses, and blocks the account for ${BLOCKED_MS} ms.`,
  );
  const rush = new Rush(stage, false);
  await sleep(WORK_MS);
  const { judged } = await rush.end(processes);
  screen.say(...outcome(judged));
  return judged;
}

function outcome({ calls, refused, highest, accountsOverLimit, tookMs }: Judged): string[] {
  const made = `   ${number(calls)} calls in ${number(tookMs / 1000, 1)} s`;
  if (highest <= LIMIT) return [`${made}, never over ${LIMIT} at once, by luck this time.`];
  return [
    `${made}: ${bad(`${number(refused)} refused`)} with 429 "account blocked".`,
    `   ${accountsOverLimit} accounts were over the limit, one with ${bad(String(highest))} calls at once.`,
  ];
}
