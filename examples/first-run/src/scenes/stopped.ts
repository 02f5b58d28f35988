import { bad, good, machineNow, ms, type ReportOf } from '@holdfast/example-common';
import { TTL_MS } from '../clerk.ts';
import type { WorkerProcess } from '../crew.ts';
import type { Report } from '../protocol.ts';
import type { Stopped } from '../result.ts';
import type { Stage } from './scene.ts';

/** The stop has to fall into this time between the last check and the write. It is over before the lease is. */
const BUSY_MS = 1_200;

export async function stopped(stage: Stage, victim: WorkerProcess, next: WorkerProcess): Promise<Stopped> {
  stage.board.begin('stopped');
  stage.view.heading(`4  A holder is stopped, and wakes up too late (ttl ${ms(TTL_MS)})`);
  const stoppedAt = await stop(stage, victim);
  const nextAfterMs = (await nextWrites(stage, next)) - stoppedAt;
  stage.view.say(`   ${next.name} had the lock ${ms(nextAfterMs)} after the stop, and wrote.`);
  const late = await wakeUp(stage, victim, stoppedAt);
  const { token, highest, accepted } = late;
  return {
    ttlMs: TTL_MS,
    stoppedForMs: late.wokenAt - stoppedAt,
    nextAfterMs,
    refused: !accepted,
    token,
    highest,
  };
}

async function stop({ reports, view, board }: Stage, victim: WorkerProcess): Promise<number> {
  const holds = reports.until('holds', victim.name);
  victim.send({ do: 'write', busyMs: BUSY_MS });
  const { leftMs } = await holds;
  victim.stop();
  const stoppedAt = machineNow();
  board.mark(victim.name, 'stopped');
  view.say(`   ${victim.name} has looked at its lease: ${ms(leftMs)} left, so it may write.`);
  view.say(`   ${bad('SIGSTOP')} to ${victim.name} (pid ${victim.pid}), right before that write.`);
  return stoppedAt;
}

/** @returns when it had the lock */
async function nextWrites({ reports }: Stage, next: WorkerProcess): Promise<number> {
  const holds = reports.until('holds', next.name);
  const done = reports.until('done', next.name);
  next.send({ do: 'write', busyMs: 0 });
  const { at } = await holds;
  await done;
  return at;
}

async function wakeUp({ reports, view, board }: Stage, victim: WorkerProcess, stoppedAt: number) {
  const wrote = reports.until('wrote', victim.name);
  const done = reports.until('done', victim.name);
  victim.cont();
  const wokenAt = machineNow();
  board.mark(victim.name, 'HOLDS');
  view.say(`   SIGCONT after ${ms(wokenAt - stoppedAt)}: ${victim.name} goes on with its write.`);
  const late = await wrote;
  view.say(...outcome(late));
  await done;
  return { ...late, wokenAt };
}

function outcome({ accepted, token, highest, lost }: ReportOf<Report, 'wrote'>): string[] {
  if (accepted) return [`   The till took it: ${bad('NOT refused')} (token ${token}).`];
  const told = lost ? `   Its lease says so too: ${lost}.` : '';
  return [`   The till ${good('refused it')}: token ${token} < ${highest}.`, told].filter(Boolean);
}
