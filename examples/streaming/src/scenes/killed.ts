import { bad, good, machineNow, ms } from '@holdfast/example-common';
import type { Killed } from '../result.ts';
import { member, type Stage, type Visit } from '../stage.ts';

export async function kill(stage: Stage, name: string, next: Visit): Promise<Killed> {
  const { story, server } = stage;
  story.heading('4  One is killed');
  const leftMs = await leftOf(stage, server.judge.of(name).token);
  const killedAt = machineNow();
  await member(stage, name).kill();
  story.say(
    `   ${bad('SIGKILL')} to ${name}, with ${ms(leftMs ?? 0)} of its lease left. It can give nothing back.`,
  );
  const { at } = await next.seated;
  await next.listening;
  const nextAfterMs = at - killedAt;
  story.say(`   ${next.name} had the seat ${good(ms(nextAfterMs))} after the kill.`);
  return { subscriber: name, next: next.name, leftMs, nextAfterMs };
}

/** As Redis knows it. */
async function leftOf({ seats }: Stage, token: number): Promise<number | undefined> {
  const { leases } = await seats.inspect();
  return leases.find(({ fencingToken }) => fencingToken === token)?.remainingMs;
}
