import { good, ms } from '@holdfast/example-common';
import type { HandedOver } from '../result.ts';
import { leave, type Stage, type Visit } from '../stage.ts';

/** A seat that is given back goes to whoever waits longest, in the same step. */
export async function handOver(stage: Stage, name: string, next: Visit): Promise<HandedOver> {
  const closed = await leave(stage, name);
  const { at, seat } = await next.seated;
  await next.listening;
  const nextAfterMs = at - closed.at;
  stage.story.say(`   ${name} leaves. ${next.name} had its seat ${seat} after ${good(ms(nextAfterMs))}.`);
  return { left: name, next: next.name, nextAfterMs };
}
