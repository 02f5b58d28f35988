import { setTimeout as sleep } from 'node:timers/promises';
import { bad, good, machineNow, ms } from '@holdfast/example-common';
import { eventually } from '@holdfast/testkit';
import type { Holdfast } from 'holdfast';
import { TTL_MS } from '../clerk.ts';
import type { WorkerProcess } from '../crew.ts';
import type { Killed } from '../result.ts';
import { allDo, type Stage } from './scene.ts';

/** Long enough for the background renewal to be at work. */
const HOLD_FIRST_MS = 800;

export async function killed(
  stage: Stage,
  victim: WorkerProcess,
  others: readonly WorkerProcess[],
  holdfast: Holdfast,
): Promise<Killed> {
  stage.board.begin('killed');
  stage.view.heading(`3  A holder is killed (ttl ${ms(TTL_MS)})`);
  await holdFirst(stage, victim);
  const rest = allDo(stage, others, { do: 'hold', forMs: 150 });
  const queued = async () => (await holdfast.inspect('desk')).queueLength === others.length;
  await Promise.all([eventually(queued, { what: 'all others waiting' }), sleep(HOLD_FIRST_MS)]);
  const leftMs = await sayWhoHolds(stage, holdfast);
  const nextAfterMs = await kill(stage, victim);
  await rest;
  return { ttlMs: TTL_MS, leftMs, nextAfterMs };
}

async function holdFirst({ reports }: Stage, victim: WorkerProcess): Promise<void> {
  const holds = reports.until('holds', victim.name);
  victim.send({ do: 'hold', forMs: 60_000 });
  await holds;
}

/** As the server knows it. */
async function sayWhoHolds({ view }: Stage, holdfast: Holdfast): Promise<number | undefined> {
  const { holder, queueLength, remainingMs } = await holdfast.inspect('desk');
  const left = remainingMs === undefined ? 'no time' : ms(remainingMs);
  view.say(`   Holder: ${holder?.label} (pid ${holder?.pid}), ${left} left. ${queueLength} wait.`);
  return remainingMs;
}

async function kill({ reports, board, view }: Stage, victim: WorkerProcess): Promise<number> {
  const next = reports.until('holds', ({ from }) => from !== victim.name);
  const killedAt = machineNow();
  await victim.kill();
  board.mark(victim.name, 'killed');
  view.say(`   ${bad('SIGKILL')} to ${victim.name}. It can release nothing any more.`);
  const { from, at } = await next;
  view.say(`   ${from} had the lock ${good(ms(at - killedAt))} after the kill.`);
  return at - killedAt;
}
