/** The semaphore within this process: the same answers as the scripts give. */
import type { Clock } from '../clock.ts';
import { argumentError, noLimitText, prefixed } from '../errors.ts';
import { tooManyPermits } from '../options.ts';
import type {
  AcquireReply,
  AcquireRequest,
  Holdable,
  QueueEntry,
  ReleaseReply,
  RenewReply,
  SemaphoreRules,
  SemaphoreState,
  StoredSemaphore,
} from '../store/store.ts';
import { MemoryQueue } from './memory-queue.ts';
import { type MemoryName, type MemoryServer, serverUs } from './memory-server.ts';

interface MemoryLease {
  readonly permits: number;
  readonly token: number;
  readonly slots: readonly number[];
  expiresAt: number;
}

class SemaphoreData implements MemoryName {
  readonly kind = 'semaphore';
  limit: number | undefined;
  lastToken = 0;
  readonly leases = new Map<string, MemoryLease>();
  readonly queue = new MemoryQueue();

  exists(): boolean {
    return this.limit !== undefined;
  }

  holders(now: number, permits?: number): readonly string[] {
    const live = [...this.leases].filter(([, { expiresAt }]) => expiresAt > now);
    const held = live.reduce((sum, [, lease]) => sum + lease.permits, 0);
    const isFree = permits !== undefined && held + permits <= (this.limit ?? 0) && this.queue.length === 0;
    return isFree ? [] : live.map(([holderId]) => holderId);
  }

  get held(): number {
    return [...this.leases.values()].reduce((sum, { permits }) => sum + permits, 0);
  }

  has(permits: number): boolean {
    return this.held + permits <= (this.limit ?? 0);
  }

  lowestFreeSlots(count: number): number[] {
    const taken = new Set([...this.leases.values()].flatMap(({ slots }) => slots));
    const free: number[] = [];
    for (let slot = 0; free.length < count; slot++) if (!taken.has(slot)) free.push(slot);
    return free;
  }
}

export class MemorySemaphore implements StoredSemaphore {
  readonly kind = 'semaphore';

  constructor(
    private readonly server: MemoryServer,
    private readonly clock: Clock,
    readonly name: string,
    readonly key: string,
    readonly channel: string,
    readonly rules: SemaphoreRules,
  ) {}

  permits(count: number): Holdable {
    return new MemoryPermits(this, count);
  }

  async setLimit(limit: number): Promise<void> {
    const data = this.data();
    data.limit = limit;
    this.serve(data);
  }

  async inspect(): Promise<SemaphoreState> {
    const { limit, held, leases, queue } = this.data();
    const nowUs = serverUs(this.clock);
    const clientOf = (holderId: string) => holderId.split('.')[1] ?? '';
    const holds = [...leases].map(([holderId, { permits, token, slots, expiresAt }]) => {
      const remainingMs = expiresAt - this.clock.now();
      return { clientId: clientOf(holderId), permits, fencingToken: token, slots, remainingMs };
    });
    return {
      limit,
      held,
      leases: holds.sort((a, b) => a.remainingMs - b.remainingMs),
      queueLength: queue.length,
      waiters: queue.all.slice(0, 100).map(({ entry, permits, ticket }) => {
        return {
          clientId: clientOf(entry.holderId),
          permits,
          waitedMs: Math.max(0, (nowUs - ticket) / 1000),
        };
      }),
      serverUs: nowUs,
    };
  }

  async forceRelease(fencingToken: number): Promise<ReleaseReply> {
    for (const [holderId, { token }] of this.data().leases)
      if (token === fencingToken) return this.release(`${holderId}:${token}`, undefined);
    return 'expired';
  }

  acquire(request: AcquireRequest, permits: number): AcquireReply {
    const data = this.data();
    const { limit: asked, slots, limitDiffers } = this.rules;
    const limit = data.limit ?? asked;
    if (limit === undefined) throw argumentError(prefixed(this, noLimitText()));
    if (asked !== undefined && asked !== limit) limitDiffers(limit);
    const { holderId, entry, ttlMs, ticket } = request;
    const mine = data.leases.get(holderId);
    if (mine !== undefined) {
      data.queue.leave(holderId);
      const leaseMs = Math.ceil(mine.expiresAt - this.clock.now());
      return { status: 'yours', fencingToken: mine.token, leaseMs, slots: mine.slots };
    }
    if (permits > limit) {
      if (data.queue.leave(entry?.holderId)) this.serve(data);
      throw tooManyPermits(permits, limit);
    }
    data.limit = limit;
    const nowUs = serverUs(this.clock);
    const queued = data.queue.length > 0;
    const joins = entry !== undefined && (queued || !data.has(permits));
    const joined = joins ? data.queue.join(entry, ticket, nowUs, permits, slots) : undefined;
    const served = queued ? this.serve(data, holderId) : 'empty';
    if (data.has(permits) && served !== 'full') {
      data.queue.leave(holderId);
      return { status: 'granted', ...this.take(data, holderId, permits, ttlMs, slots) };
    }
    const inTheWay = { remainingMs: this.nextEndMs(data, permits), foreign: false };
    if (entry === undefined || joined === undefined) return { status: 'busy', ...inTheWay };
    return { status: 'queued', ...inTheWay, ...joined, rank: data.queue.rankOf(entry), serverUs: nowUs };
  }

  release(value: string, entry: QueueEntry | undefined): ReleaseReply {
    const data = this.data();
    data.queue.leave(entry?.holderId);
    const [holderId = '', token] = value.split(':');
    const mine = data.leases.get(holderId);
    const ours = mine !== undefined && (token === undefined || Number(token) === mine.token);
    if (ours) data.leases.delete(holderId);
    const before = data.leases.size;
    this.serve(data);
    return !ours ? 'expired' : data.leases.size > before ? 'given' : 'released';
  }

  renew(value: string, ttlMs: number): RenewReply {
    const [holderId = '', token] = value.split(':');
    const mine = this.data().leases.get(holderId);
    if (mine === undefined || Number(token) !== mine.token) return 'expired';
    mine.expiresAt = this.clock.now() + ttlMs;
    return 'renewed';
  }

  /** Without the leases that have ended. */
  private data(): SemaphoreData {
    const data = this.server.at(this.key, this, SemaphoreData);
    const now = this.clock.now();
    for (const [holderId, { expiresAt }] of data.leases) if (expiresAt <= now) data.leases.delete(holderId);
    return data;
  }

  private take(data: SemaphoreData, holderId: string, permits: number, leaseMs: number, slotted: boolean) {
    const token = Math.max(data.lastToken + 1, serverUs(this.clock));
    data.lastToken = token;
    const slots = slotted ? data.lowestFreeSlots(permits) : [];
    data.leases.set(holderId, { permits, token, slots, expiresAt: this.clock.now() + leaseMs });
    return { fencingToken: token, leaseMs, slots };
  }

  private serve(data: SemaphoreData, self?: string): 'empty' | 'full' | 'self' {
    const { queue, limit = 0 } = data;
    for (let { first } = queue; first !== undefined; first = queue.first) {
      const { entry, permits, slots } = first;
      const { holderId, channel, leaseMs } = entry;
      const listens = holderId === self || this.server.listeners.has(channel);
      if (listens && permits <= limit && !data.has(permits)) return 'full';
      queue.leave(holderId);
      if (holderId === self) return 'self';
      if (listens && permits > limit) this.server.tell(channel, `${holderId} ask`);
      else if (listens) this.tellGrant(channel, holderId, this.take(data, holderId, permits, leaseMs, slots));
    }
    return 'empty';
  }

  private tellGrant(
    channel: string,
    holderId: string,
    { fencingToken, leaseMs, slots }: ReturnType<MemorySemaphore['take']>,
  ) {
    const grant = [holderId, fencingToken, serverUs(this.clock), leaseMs, slots.join(',')];
    this.server.tell(channel, grant.join(' ').trimEnd());
  }

  /** Whoever is in front of free permits wants more, and may go away without a sign. */
  private nextEndMs(data: SemaphoreData, permits: number): number {
    const ends = [...data.leases.values()].map(({ expiresAt }) => expiresAt - this.clock.now());
    const nextMs = Math.ceil(Math.min(...ends));
    return data.has(permits) ? Math.min(nextMs, 1_000) : nextMs;
  }
}

/** So many permits of one semaphore, for one lease. */
class MemoryPermits implements Holdable {
  readonly kind = 'semaphore';
  readonly shared = true;
  readonly name: string;
  readonly key: string;
  readonly channel: string;

  constructor(
    private readonly semaphore: MemorySemaphore,
    readonly permits: number,
  ) {
    this.name = semaphore.name;
    this.key = semaphore.key;
    this.channel = semaphore.channel;
  }

  async acquire(request: AcquireRequest): Promise<AcquireReply> {
    return this.semaphore.acquire(request, this.permits);
  }

  async release(value: string, _limits: unknown, entry?: QueueEntry): Promise<ReleaseReply> {
    return this.semaphore.release(value, entry);
  }

  async renew(value: string, ttlMs: number): Promise<RenewReply> {
    return this.semaphore.renew(value, ttlMs);
  }
}
