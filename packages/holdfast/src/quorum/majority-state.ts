/** What a majority of nodes says about a lock: pure. */
import type { LockState } from '../store/store.ts';

/** Held when a majority has it for the same lease; its time is the majority's. */
export function majorityState(states: readonly LockState[], majority: number): LockState {
  const queueLength = middle(states.map((state) => state.queueLength));
  const common = {
    // One that is late with what the others have done counts as little as one that lost its queue.
    queueLength,
    waiters: states.find((state) => state.queueLength === queueLength)?.waiters ?? [],
    serverUs: middle(states.map(({ serverUs }) => serverUs)),
  };
  for (const { state, clientId, fencingToken } of states) {
    const same = states.filter(
      (one) => one.state === state && one.clientId === clientId && one.fencingToken === fencingToken,
    );
    if (state === 'free' || fencingToken === 0 || same.length < majority) continue;
    const remaining = same.map(({ remainingMs }) => remainingMs).sort((a, b) => b - a);
    return { state, clientId, fencingToken, remainingMs: remaining[majority - 1] ?? -1, ...common };
  }
  const tokens = states.map(({ fencingToken = 0 }) => fencingToken);
  const fencingToken = Math.max(...tokens) || undefined;
  return { state: 'free', clientId: '', fencingToken, remainingMs: -2, ...common };
}

function middle(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[(values.length - 1) >> 1] ?? 0;
}
