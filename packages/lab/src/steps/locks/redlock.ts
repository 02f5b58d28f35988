/**
 * The lab's own hand-made lock on several servers that know nothing of each other, as Redis describes it under the name of Redlock:
 * SET NX PX on each, one after the other; whoever gets it from more than half holds it for what is left of the lease. It is here to
 * show what a majority is good for and what it is not; the library's quorum is another thing.
 */
import type { Place, Recorder } from '../../explore/drama.ts';
import { LEASE_S } from './hand-made.ts';
import { COMPARE_AND_DELETE } from './releases.ts';

export interface Quorum {
  readonly places: readonly Place[];
  readonly recorder: Recorder;
}

/** Whether it got the lock; if not, it gives back what it got. */
export async function acquireOnMajority(quorum: Quorum, who: string, key: string): Promise<boolean> {
  const { places, recorder } = quorum;
  const leaseMs = LEASE_S * 1000;
  const askedAt = performance.now();
  const got: Place[] = [];
  for (const one of places) {
    const command = ['SET', key, idOf(who), 'NX', 'PX', leaseMs];
    // A server that does not answer has not agreed.
    const reply = await recorder.send(who, one, command).catch(() => undefined);
    if (reply === 'OK') got.push(one);
  }
  const inTime = performance.now() - askedAt < leaseMs;
  const holds = inTime && got.length > places.length / 2;
  await recorder.say(who, `${got.length} of ${places.length} agreed: ${holds ? 'it holds the lock' : 'no'}`);
  if (!holds) await release(quorum, who, key);
  return holds;
}

/** Everywhere, also where no reply came: it may have been the reply that was lost. */
async function release({ places, recorder }: Quorum, who: string, key: string): Promise<void> {
  for (const one of places)
    await recorder.send(who, one, ['EVAL', COMPARE_AND_DELETE, 1, key, idOf(who)]).catch(() => undefined);
}

const idOf = (who: string) => `${who.toLowerCase()}1`;
