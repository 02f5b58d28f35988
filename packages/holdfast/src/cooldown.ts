/**
 * A lock that stays closed for a while after a lease expired: the server keeps each lease for that long beyond what its holder is told. A release
 * takes it off at once, so only a lease that nobody released is followed by the pause.
 */
import {
  type AcquireReply,
  type AcquireRequest,
  type CallLimits,
  type GrantedReply,
  type Holdable,
  isGrant,
  type QueueEntry,
  type ReleaseReply,
  type RenewReply,
} from './store/store.ts';

export class CoolingLock implements Holdable {
  readonly kind = 'lock';
  readonly shared = false;
  readonly manyQueues?: true;

  constructor(
    private readonly lock: Holdable,
    readonly cooldownMs: number,
  ) {
    if (lock.manyQueues) this.manyQueues = true;
  }

  get name(): string {
    return this.lock.name;
  }

  get key(): string {
    return this.lock.key;
  }

  get channel(): string {
    return this.lock.channel;
  }

  async acquire(
    request: AcquireRequest,
    limits: CallLimits,
    late: (grant: GrantedReply) => void,
  ): Promise<AcquireReply> {
    const longer = {
      ...request,
      ttlMs: request.ttlMs + this.cooldownMs,
      entry: request.entry && this.longer(request.entry),
    };
    const reply = await this.lock.acquire(longer, limits, late);
    return isGrant(reply) ? { ...reply, leaseMs: reply.leaseMs - this.cooldownMs } : reply;
  }

  release(value: string, limits: CallLimits, entry?: QueueEntry): Promise<ReleaseReply> {
    return this.lock.release(value, limits, entry && this.longer(entry));
  }

  renew(value: string, ttlMs: number, limits: CallLimits): Promise<RenewReply> {
    return this.lock.renew(value, ttlMs + this.cooldownMs, limits);
  }

  get guard(): Holdable['guard'] {
    return this.lock.guard?.bind(this.lock);
  }

  private longer(entry: QueueEntry): QueueEntry {
    return { ...entry, leaseMs: entry.leaseMs + this.cooldownMs };
  }
}
