import { bad, good } from '@holdfast/example-common';
import type { Ending } from '../result.ts';
import { ACCOUNTS, LIMIT } from '../rules.ts';
import { ALL_ACCOUNTS, type Stage, semaphoreOf } from './stage.ts';

/** All have gone home: nothing may be held, and everything must be there to be had. */
export async function ending(stage: Stage): Promise<Ending> {
  const { screen } = stage;
  screen.heading('4  Everybody has gone home');
  const held = await Promise.all(ALL_ACCOUNTS.map((account) => heldOf(stage, account)));
  const all = await Promise.all(ALL_ACCOUNTS.map((account) => canAcquireAll(stage, account)));
  const result = {
    accounts: ACCOUNTS,
    held: held.reduce((sum, each) => sum + each, 0),
    acquirable: all.filter(Boolean).length,
  };
  screen.say(...outcome(result));
  return result;
}

async function heldOf(stage: Stage, account: number): Promise<number> {
  return (await semaphoreOf(stage, account).inspect()).held;
}

async function canAcquireAll(stage: Stage, account: number): Promise<boolean> {
  await using lease = await semaphoreOf(stage, account).tryAcquire(LIMIT);
  return lease !== undefined;
}

function outcome({ accounts, held, acquirable }: Ending): string[] {
  const nothing = held === 0 ? good('nothing is held') : bad(`${held} permits are still held`);
  const paint = acquirable === accounts ? good : bad;
  return [
    `   Of ${accounts} semaphores ${nothing}.`,
    `   tryAcquire(${LIMIT}) got all ${LIMIT} permits at once: ${paint(`${acquirable} of ${accounts}`)}.`,
  ];
}
