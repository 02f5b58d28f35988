/**
 * The first semaphore: a sorted set with an entry for each seat, scored by the client's clock. Whoever ranks below the limit has a seat.
 * The rank is by the time that was written, not by the order in which the entries came: that is what goes wrong.
 */
import type { ExploredActor } from '../../explore/scenario.ts';
import type { Pipeline } from './pipeline.ts';
import { isBelow, KEYS, TIMEOUT_MS } from './seat.ts';

interface BasicWay {
  readonly limit: number;
  readonly pipeline: Pipeline;
  /** The client's time, when the pipeline is made. */
  readonly time: () => number;
}

export async function acquireBasic(actor: ExploredActor, way: BasicWay): Promise<string | undefined> {
  const id = actor.id();
  const [, , rank] = await way.pipeline(actor, () => [
    ['ZREMRANGEBYSCORE', KEYS.time, '-inf', way.time() - TIMEOUT_MS],
    ['ZADD', KEYS.time, way.time(), id],
    ['ZRANK', KEYS.time, id],
  ]);
  if (isBelow(rank, way.limit)) return id;
  await releaseBasic(actor, id);
  return undefined;
}

export async function releaseBasic(actor: ExploredActor, id: string): Promise<boolean> {
  return (await actor.send('ZREM', KEYS.time, id)) === 1;
}
