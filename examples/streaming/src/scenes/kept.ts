import { setTimeout as sleep } from 'node:timers/promises';
import { good, machineNow, ms, number } from '@holdfast/example-common';
import type { HandedOver, Kept } from '../result.ts';
import type { Stage, Visit } from '../stage.ts';
import { handOver } from './handed-over.ts';

/** A lease that was never renewed would have ended so many times. */
const TTLS = 10;

/** The one that came first has been connected all the time. It leaves only now. */
export async function keep(stage: Stage, name: string, next: Visit) {
  const { story, server, reports, ttlMs } = stage;
  story.heading('5  One stays for many ttls, with one lease');
  const { openedAt, token } = server.judge.of(name);
  await sleep(openedAt + (TTLS + 0.2) * ttlMs - machineNow());
  const lease = await leaseOf(stage, name);
  const closed = reports.until('closed', name);
  const saying = closed.then(({ renewals, events, missed }): Kept => {
    const { fencingToken, heldForMs } = lease;
    const ttls = heldForMs / ttlMs;
    const same = fencingToken === token;
    const kept = { subscriber: name, token, sameToken: same, heldForMs, ttls, renewals, events, missed };
    story.say(...lines(kept));
    return kept;
  });
  const returned: HandedOver = await handOver(stage, name, next);
  story.say(`   ${next.name} can reach Redis again, had asked anew, and has a new lease.`);
  return { kept: await saying, returned };
}

/** As Redis knows it. */
async function leaseOf({ seats }: Stage, name: string) {
  const { leases } = await seats.inspect();
  const lease = leases.find(({ holder }) => holder.label === `subscriber ${name}`);
  if (!lease) throw new Error(`Redis knows of no lease of ${name}`);
  return lease;
}

function lines({ subscriber, ttls, heldForMs, renewals, sameToken, token, events, missed }: Kept): string[] {
  return [
    `   ${subscriber} has held its seat for ${ms(heldForMs)}: ${good(`${number(ttls, 1)} ttls`)}, ${renewals} renewals,`,
    `   ${sameToken ? 'and still the fencing token of the start' : 'but not the token of the start'}, ${token}.`,
    `   ${events} prices came, ${missed === 0 ? 'not one is missing' : `${missed} are missing`}.`,
  ];
}
