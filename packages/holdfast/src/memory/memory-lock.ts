/** The lock within this process: the same answers as the scripts give. */
import type { Clock } from '../clock.ts';
import type {
  AcquireReply,
  AcquireRequest,
  LockState,
  QueueEntry,
  ReleaseReply,
  RenewReply,
  StoredLock,
} from '../store/store.ts';
import { MemoryQueue } from './memory-queue.ts';
import { type MemoryName, type MemoryServer, serverUs } from './memory-server.ts';

interface Held {
  readonly holderId: string;
  readonly expiresAt: number;
}

/** `value` is holderId:token, or the holderId alone. */
function isMine(held: Held | undefined, value: string): held is Held {
  return held !== undefined && value.startsWith(held.holderId);
}

class LockData implements MemoryName {
  readonly kind = 'lock';
  held: Held | undefined;
  fence = 0;
  readonly queue = new MemoryQueue();

  exists(): boolean {
    return this.held !== undefined;
  }

  holders(now: number): readonly string[] {
    return this.held !== undefined && this.held.expiresAt > now ? [this.held.holderId] : [];
  }
}

export class MemoryLock implements StoredLock {
  readonly kind = 'lock';
  readonly shared = false;

  constructor(
    private readonly server: MemoryServer,
    private readonly clock: Clock,
    readonly name: string,
    readonly key: string,
    readonly channel: string,
  ) {}

  async acquire(request: AcquireRequest): Promise<AcquireReply> {
    const lock = this.data();
    if (lock.held === undefined && request.entry !== undefined && request.ticket !== undefined) {
      lock.queue.join(request.entry, request.ticket, serverUs(this.clock));
    }
    if (lock.held === undefined && this.handOff(lock, request.holderId) !== 'given') {
      return this.grant(lock, request.holderId, request.ttlMs, 'granted');
    }
    const remainingMs = Math.ceil((lock.held?.expiresAt ?? 0) - this.clock.now());
    if (lock.held?.holderId === request.holderId) {
      lock.queue.leave(request.holderId);
      return this.grant(lock, request.holderId, remainingMs, 'yours');
    }
    const inTheWay = { remainingMs, foreign: false };
    if (request.entry === undefined) return { status: 'busy', ...inTheWay };
    const nowUs = serverUs(this.clock);
    const joined = lock.queue.join(request.entry, request.ticket, nowUs);
    return {
      status: 'queued',
      ...inTheWay,
      ...joined,
      rank: lock.queue.rankOf(request.entry),
      serverUs: nowUs,
    };
  }

  async release(value: string, _limits: unknown, entry?: QueueEntry): Promise<ReleaseReply> {
    const lock = this.data();
    lock.queue.leave(entry?.holderId);
    const reply = isMine(lock.held, value) ? this.free(lock) : lock.held === undefined ? 'expired' : 'lost';
    // A free lock is forgotten once its last token is older than any that will come.
    const idle = lock.held === undefined && lock.queue.length === 0 && lock.fence < serverUs(this.clock);
    if (idle) this.server.names.delete(this.key);
    return reply;
  }

  async renew(value: string, ttlMs: number): Promise<RenewReply> {
    const lock = this.data();
    if (!isMine(lock.held, value)) return lock.held === undefined ? 'expired' : 'lost';
    lock.held = { holderId: lock.held.holderId, expiresAt: this.clock.now() + ttlMs };
    return 'renewed';
  }

  async inspect(): Promise<LockState> {
    const { held, fence, queue } = this.data();
    return {
      state: held === undefined ? 'free' : 'ours',
      clientId: held?.holderId.split('.')[1] ?? '',
      remainingMs: held === undefined ? -2 : Math.ceil(held.expiresAt - this.clock.now()),
      fencingToken: fence === 0 ? undefined : fence,
      queueLength: queue.length,
      waiters: queue.all.slice(0, 100).map(({ entry, ticket }) => ({
        clientId: entry.holderId.split('.')[1] ?? '',
        waitedMs: Math.max(0, (serverUs(this.clock) - ticket) / 1000),
      })),
      serverUs: serverUs(this.clock),
    };
  }

  async forceRelease(fencingToken: number | undefined): Promise<ReleaseReply> {
    const { held, fence } = this.data();
    if (held === undefined) return 'expired';
    if (fencingToken !== undefined && fencingToken !== fence) return 'lost';
    return await this.release(held.holderId, undefined);
  }

  private data(): LockData {
    const lock = this.server.at(this.key, this, LockData);
    if (lock.held !== undefined && lock.held.expiresAt <= this.clock.now()) lock.held = undefined;
    return lock;
  }

  private grant(
    lock: LockData,
    holderId: string,
    leaseMs: number,
    status: 'granted' | 'yours',
  ): AcquireReply {
    lock.fence = Math.max(lock.fence + 1, serverUs(this.clock));
    lock.held = { holderId, expiresAt: this.clock.now() + leaseMs };
    return { status, fencingToken: lock.fence, leaseMs };
  }

  private free(lock: LockData): ReleaseReply {
    lock.held = undefined;
    return this.handOff(lock) === 'given' ? 'given' : 'released';
  }

  private handOff(lock: LockData, self?: string): 'given' | 'empty' | 'self' {
    for (let { first } = lock.queue; first !== undefined; first = lock.queue.first) {
      const { holderId, leaseMs, channel } = first.entry;
      lock.queue.leave(holderId);
      if (holderId === self) return 'self';
      if (!this.server.listeners.has(channel)) continue;
      this.grant(lock, holderId, leaseMs, 'granted');
      this.server.tell(channel, `${holderId} ${lock.fence} ${serverUs(this.clock)} ${leaseMs}`);
      return 'given';
    }
    return 'empty';
  }
}
