import { bad, good, machineNow, ms } from '@holdfast/example-common';
import { eventually } from '@holdfast/testkit';
import type { CutOff } from '../result.ts';
import type { Stage, Visit } from '../stage.ts';

/** Redis becomes silent for one subscriber, and for nobody else. Its connection to the stream stays as good as it was. */
export async function cutOff(stage: Stage, name: string, next: Visit): Promise<CutOff> {
  const { story, reports, server, proxy } = stage;
  story.heading('3  One loses Redis, but not its stream');
  const connection = server.judge.of(name);
  const told = reports.until('told', name);
  proxy.silence('both', 'drop');
  const cutAt = machineNow();
  const sentBefore = connection.sent;
  story.say(`   Nothing gets through any more between ${name} and ${bad('Redis')}. Prices still reach it.`);
  const { at, endsAt, reason } = await told;
  const closedAt = await eventually(() => connection.closedAt, {
    withinMs: 20_000,
    what: 'the end of its connection',
  });
  const seated = await next.seated;
  await next.listening;
  const result = {
    subscriber: name,
    next: next.name,
    toldAfterMs: at - cutAt,
    leaseEndsAfterMs: endsAt - cutAt,
    closedAfterMs: closedAt - cutAt,
    nextAfterMs: seated.at - cutAt,
    nextConnectedAfterMs: server.judge.of(next.name).openedAt - cutAt,
    reason,
    pushedMeanwhile: connection.sent - sentBefore,
    displaced: connection.displaced,
  };
  story.say(...lines(result));
  return result;
}

function lines(result: CutOff): string[] {
  const { subscriber, next, pushedMeanwhile, leaseEndsAfterMs, displaced } = result;
  const { toldAfterMs, closedAfterMs, nextAfterMs, nextConnectedAfterMs } = result;
  const at = (text: string, when: number) => `     ${text.padEnd(50, '.')} ${good(ms(when))}`;
  return [
    `   No renewal gets through, so ${subscriber} is told by its own clock. After the cut:`,
    at(`lease.signal aborts in ${subscriber} `, toldAfterMs),
    at('its lease ends, as its last renewal promised ', leaseEndsAfterMs),
    at(`the server sees ${subscriber} ${displaced ? 'replaced' : 'hang up'} `, closedAfterMs),
    at(`${next} has the seat `, nextAfterMs),
    at(`${next} is connected `, nextConnectedAfterMs),
    `   Meanwhile ${pushedMeanwhile} more prices were pushed to ${subscriber}.`,
  ];
}
