import { setTimeout as sleep } from 'node:timers/promises';
import { bad, good, ms, number } from '@holdfast/example-common';
import type { WorkerProcess } from '../crew.ts';
import { withTallies } from '../judge.ts';
import type { DeadSeats, Killed } from '../result.ts';
import { HOT_ACCOUNTS, LIMIT, TTL_MS } from '../rules.ts';
import { look, type Taken, untilBack } from './dead-seats.ts';
import { Rush } from './rush.ts';
import { ALL_ACCOUNTS, type Stage } from './stage.ts';

const WORK_FIRST_MS = 500;
const WORK_AFTER_MS = 500;
/** Where the process is most likely to hold something. */
const HOT = ALL_ACCOUNTS.slice(0, HOT_ACCOUNTS);
const LOOK_EVERY_MS = 30;
const MOST_LOOKS = 200;

export async function killed(stage: Stage, victim: WorkerProcess): Promise<Killed> {
  const { screen, processes } = stage;
  screen.heading(`3  A worker process is killed in the middle of its calls (ttl ${ms(TTL_MS)})`);
  const rush = new Rush(stage, true);
  await sleep(WORK_FIRST_MS);
  const frozenAt = await freezeHolding(stage, victim);
  await victim.kill();
  const callsBefore = rush.books.calls;
  const first = await look(stage, victim.pid, ALL_ACCOUNTS, frozenAt);
  screen.say(...loss(victim, first.taken));
  const dead = await untilBack(stage, victim.pid, first, frozenAt);
  const callsMeanwhile = rush.books.calls - callsBefore;
  screen.say(...back(dead, callsMeanwhile));
  await sleep(WORK_AFTER_MS);
  const { judged, tallies } = await rush.end(processes.filter((process) => process !== victim));
  const { brokenOff } = rush.books;
  return { ...withTallies(judged, tallies), ttlMs: TTL_MS, brokenOff, dead, callsMeanwhile };
}

/**
 * Stops the process, then looks whether it holds a seat: what it holds now, it holds when it is killed. (A call lasts 10
 * to 40 ms: a process that ran on might give its seats back between the look and the kill.)
 * @returns when it was stopped; from then on it can neither renew nor release
 */
async function freezeHolding(stage: Stage, victim: WorkerProcess): Promise<number> {
  for (let looks = 0; looks < MOST_LOOKS; looks++) {
    const frozenAt = performance.now();
    victim.freeze();
    const { taken } = await look(stage, victim.pid, HOT, frozenAt);
    if (taken.length > 0) return frozenAt;
    victim.thaw();
    await sleep(LOOK_EVERY_MS);
  }
  throw new Error(`worker process ${victim.name} was never seen with a seat`);
}

function loss({ name, pid }: WorkerProcess, taken: readonly Taken[]): string[] {
  const seats = taken.reduce((sum, each) => sum + each.seats, 0);
  return [
    `   ${bad('SIGKILL')} to process ${name} (pid ${pid}). It can give nothing back any more:`,
    `   inspect() shows ${seats} seats of ${taken.length} accounts in its hands.`,
  ];
}

function back(dead: readonly DeadSeats[], callsMeanwhile: number): string[] {
  if (dead.length === 0) return [`   ${bad('They were free before anybody could look.')}`];
  const times = dead.map(({ backAfterMs }) => backAfterMs);
  const [first, last] = [ms(Math.min(...times)), ms(Math.max(...times))];
  return [
    `   They were free again after ${good(first === last ? last : `${first} to ${last}`)} (ttl ${ms(TTL_MS)}), not before.`,
    `   Meanwhile the others made ${number(callsMeanwhile)} calls, with the seats that were left:`,
    `   ${worstHit(dead)}`,
  ];
}

function worstHit(dead: readonly DeadSeats[]): string {
  const [worst] = [...dead].sort((a, b) => b.seats - a.seats);
  if (!worst) return '';
  const { account, seats, callsMeanwhile } = worst;
  return `account ${account} had ${LIMIT - seats} of ${LIMIT}, and ${number(callsMeanwhile)} calls went through them.`;
}
