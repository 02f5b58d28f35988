/** `minReplicas`: a grant counts only when so many replicas have it. A smaller risk in a fail-over, and no guarantee. */
import type { Engine } from './engine.ts';
import { ServerRefusedError, type Subject } from './errors.ts';
import type { Granted } from './grant.ts';
import type { Holdable } from './store/store.ts';

export interface Replicated {
  readonly engine: Engine;
  readonly target: Holdable;
  readonly signal: AbortSignal | undefined;
  readonly ttlMs: number;
}

/**
 * WAIT counts what this connection has written, so a lease that another's release wrote is renewed first. It gets a third of the ttl,
 * and of the deadline of a command: the connection does nothing else meanwhile.
 * @returns the grant, when enough replicas have it; else it is given back
 */
export async function confirmedByReplicas(replicated: Replicated, grant: Granted): Promise<Granted> {
  const { engine, target, signal, ttlMs } = replicated;
  const { store, commandTimeoutMs, clock } = engine;
  const value = `${grant.holderId}:${grant.fencingToken}`;
  const startedAt = clock.now();
  try {
    if (grant.handedOff && (await target.renew(value, ttlMs, engine.limits())) !== 'renewed')
      throw notReplicated(target, 'the lease was gone before a replica could confirm it');
    const replicas = await store.replicas(Math.min(ttlMs, commandTimeoutMs) / 3, engine.limits());
    if (replicas < store.minReplicas)
      throw notReplicated(
        target,
        `${replicas} of ${store.minReplicas} replicas confirmed the lease in time, so it was given back`,
      );
    signal?.throwIfAborted();
  } catch (error) {
    void engine.undo(target, value);
    throw error;
  }
  return grant.handedOff ? { ...grant, startedAt, leaseMs: ttlMs } : grant;
}

function notReplicated(subject: Subject, what: string): ServerRefusedError {
  return new ServerRefusedError(
    `${what} (minReplicas); check the replicas, or try later`,
    subject,
    'NOREPLICAS',
  );
}
