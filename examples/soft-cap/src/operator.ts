/* Changes the limit while all are working, and measures what comes of it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { good, machineNow, ms } from '@holdfast/example-common';
import { eventually } from '@holdfast/testkit';
import type { Phase } from './phase.ts';
import type { Change } from './result.ts';
import type { Stage } from './stage.ts';

/** How long the workers go on under each limit. */
const PHASE_MS = 1_800;

/** Also on a very busy machine. */
const PATIENT = { withinMs: 20_000, everyMs: 5 };

/** Its figures are final when the next one begins. */
export type Measured = () => Change;

/** The first limit: nobody is there yet. */
export async function start(stage: Stage, limit: number, work: () => void): Promise<Measured> {
  const phase = stage.judge.beginPhase(limit);
  await stage.permits.setLimit(limit);
  const answeredAfterMs = machineNow() - phase.beganAt;
  stage.judge.know([]);
  work();
  await begun(phase, limit);
  await sleep(PHASE_MS);
  return () => ({ ...figures(phase, 0), answeredAfterMs, servedAfterMs: null });
}

export async function raise(stage: Stage, from: number, to: number): Promise<Measured> {
  const { judge, permits, story } = stage;
  const phase = judge.beginPhase(to);
  await permits.setLimit(to);
  const answeredAfterMs = machineNow() - phase.beganAt;
  await meetHolders(stage);
  const servedAfterMs = (await begun(phase, to - from)) - phase.beganAt;
  story.say(
    `   ${to - from} more queries began within ${good(ms(servedAfterMs))} of the call of setLimit(${to}).`,
  );
  await sleep(PHASE_MS);
  return () => ({ ...figures(phase, from), answeredAfterMs, servedAfterMs });
}

export async function lower(stage: Stage, from: number, to: number): Promise<Measured> {
  const { judge, permits, story } = stage;
  const phase = judge.beginPhase(to);
  await permits.setLimit(to);
  const answeredAfterMs = machineNow() - phase.beganAt;
  const waiting = await meetHolders(stage);
  story.say(`   ${phase.holders} hold a permit and keep it; ${waiting} wait, and nobody is admitted.`);
  await eventually(() => phase.admittedAt, { ...PATIENT, what: 'the next one to be admitted' });
  const { endedBefore, holders } = phase;
  const { admittedAfterMs } = figures(phase, from);
  story.say(
    `   The next one was admitted after ${good(ms(admittedAfterMs ?? 0))}, when ${endedBefore} of the ${holders} had ended.`,
  );
  await sleep(PHASE_MS);
  return () => ({ ...figures(phase, from), answeredAfterMs, servedAfterMs: null });
}

/** @returns when that many queries had begun */
function begun({ begins }: Phase, count: number): Promise<number> {
  return eventually(() => begins[count - 1], { ...PATIENT, what: `${count} queries to begin` });
}

/** Tells the judge who holds a permit by now. @returns how many wait */
async function meetHolders({ permits, judge }: Stage): Promise<number> {
  const { leases, queueLength } = await permits.inspect();
  judge.know(leases.map(({ fencingToken }) => fencingToken));
  return queueLength;
}

function figures(phase: Phase, from: number) {
  const { limit: to, holders, endedBefore, max, maxAfterReached, tooMany, beganAt } = phase;
  const after = (at: number | undefined) => (at === undefined ? null : at - beganAt);
  const admittedAfterMs = after(phase.admittedAt);
  const reachedAfterMs = after(phase.reachedAt);
  return { from, to, holders, endedBefore, admittedAfterMs, reachedAfterMs, max, maxAfterReached, tooMany };
}
