/**
 * The fair semaphore: who is first is told by a counter of the server, so that clocks need to agree only about who is too old. The set
 * by time says who is too old; ZINTERSTORE with weights 1 and 0 carries its removals over to the set by owner and keeps the counters there.
 * Counting and ranking are two pipelines, since the counter's value is needed in between: there is the gap.
 */
import type { ExploredActor } from '../../explore/scenario.ts';
import { inMulti, type Pipeline } from './pipeline.ts';
import { isBelow, KEYS, TIMEOUT_MS } from './seat.ts';

export interface FairWay {
  readonly limit: number;
  readonly pipeline: Pipeline;
}

export async function acquireFair(
  actor: ExploredActor,
  { limit, pipeline }: FairWay,
): Promise<string | undefined> {
  const id = actor.id();
  const now = actor.now();
  const [, , counter] = await pipeline(actor, () => [
    ['ZREMRANGEBYSCORE', KEYS.time, '-inf', now - TIMEOUT_MS],
    ['ZINTERSTORE', KEYS.owner, 2, KEYS.owner, KEYS.time, 'WEIGHTS', 1, 0],
    ['INCR', KEYS.counter],
  ]);
  const [, , rank] = await pipeline(actor, () => [
    ['ZADD', KEYS.time, now, id],
    ['ZADD', KEYS.owner, Number(counter), id],
    ['ZRANK', KEYS.owner, id],
  ]);
  if (isBelow(rank, limit)) return id;
  await releaseFair(actor, id);
  return undefined;
}

/** In MULTI always: what could come between the two adds no bug, and many orders. */
export async function releaseFair(actor: ExploredActor, id: string): Promise<boolean> {
  const [removed] = await inMulti(actor, () => [
    ['ZREM', KEYS.time, id],
    ['ZREM', KEYS.owner, id],
  ]);
  return removed === 1;
}
