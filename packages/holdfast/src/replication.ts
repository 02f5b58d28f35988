/** `minReplicas`: a grant counts only when so many replicas have it. A smaller risk in a fail-over, and no guarantee. */
import { unlessAborted } from './abort.ts';
import type { Engine } from './engine.ts';
import { ServerRefusedError, type Subject } from './errors.ts';
import type { Granted } from './grant.ts';
import type { Holdable } from './store/store.ts';
import { validUntil } from './validity.ts';

export interface Replicated {
  readonly engine: Engine;
  readonly target: Holdable;
  readonly signal: AbortSignal | undefined;
  readonly ttlMs: number;
}

/**
 * WAIT counts what this connection has written, so a lease that another's release wrote is renewed first. Each of the two gets a third of the ttl,
 * and of the deadline of a command (WAIT's answer as long again): the connection does nothing else meanwhile.
 * @returns the grant, when enough replicas have it; else it is given back
 */
export async function confirmedByReplicas(replicated: Replicated, grant: Granted): Promise<Granted> {
  const { engine, target, signal } = replicated;
  try {
    const confirmed = await unlessAborted(signal, () => confirm(replicated, grant));
    if (validUntil(confirmed.startedAt, confirmed.leaseMs) > engine.clock.now()) return confirmed;
    throw notReplicated(target, 'the lease was over before it was known to be confirmed');
  } catch (error) {
    void engine.undo(target, `${grant.holderId}:${grant.fencingToken}`);
    throw error;
  }
}

async function confirm({ engine, target, ttlMs }: Replicated, grant: Granted): Promise<Granted> {
  const { store, commandTimeoutMs, clock } = engine;
  const ms = Math.min(ttlMs, commandTimeoutMs) / 3;
  const startedAt = clock.now();
  const value = `${grant.holderId}:${grant.fencingToken}`;
  if (grant.handedOff && (await target.renew(value, ttlMs, { deadlineAt: startedAt + ms })) !== 'renewed')
    throw notReplicated(target, 'the lease was gone before a replica could confirm it');
  const replicas = await store.replicas(ms, { deadlineAt: clock.now() + 2 * ms });
  if (replicas < store.minReplicas)
    throw notReplicated(
      target,
      `${replicas} of ${store.minReplicas} replicas confirmed the lease in time, so it was given back`,
    );
  return grant.handedOff ? { ...grant, startedAt, leaseMs: ttlMs } : grant;
}

function notReplicated(subject: Subject, what: string): ServerRefusedError {
  return new ServerRefusedError(
    `${what} (minReplicas); check the replicas, or try later`,
    subject,
    'NOREPLICAS',
  );
}
