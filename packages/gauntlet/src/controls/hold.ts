/** A hold of a hand-made lock: it believes in its ttl, counted on the monotonic clock, and nobody tells it anything. */
import type { Hold } from '../worker/subject.ts';

export function handMade(ttlMs: number, fencingToken: number, release: () => Promise<boolean>): Hold {
  const endsAt = performance.now() + ttlMs;
  return {
    fencingToken,
    slots: [[0, fencingToken]],
    signal: new AbortController().signal,
    remainingMs: () => Math.max(0, endsAt - performance.now()),
    release: async () => ((await release()) ? 'released' : 'expired'),
  };
}
