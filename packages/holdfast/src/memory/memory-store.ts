/** The store within this process, for users' unit tests: the same answers as the scripts give, without a server. */
import type { Subscriber, SubscriberEvents } from '../client.ts';
import type { Clock } from '../clock.ts';
import { grantChannel, type KeyRules, type LockKeys, lockKeys } from '../keys.ts';
import type {
  AcquireReply,
  AcquireRequest,
  Advice,
  LockState,
  LockStore,
  QueueEntry,
  ReleaseReply,
  RenewReply,
} from '../store/store.ts';

interface Held {
  readonly holderId: string;
  readonly expiresAt: number;
}

/** `value` is holderId:token, or the holderId alone. */
function isMine(held: Held | undefined, value: string): held is Held {
  return held !== undefined && value.startsWith(held.holderId);
}

interface Queued {
  readonly entry: QueueEntry;
  readonly ticket: number;
}

class MemoryLock {
  held: Held | undefined;
  fence = 0;
  queue: Queued[] = [];
}

/** What several `Holdfast.inMemory({ server })` share, as clients share a server. */
export class MemoryServer {
  /** @internal */
  readonly locks = new Map<string, MemoryLock>();
  /** @internal */
  readonly listeners = new Map<string, (text: string) => void>();
  /** @internal */
  readonly cards = new Map<string, string>();
}

export class MemoryStore implements LockStore {
  readonly drops = 0;
  private readonly rules: KeyRules;

  constructor(
    private readonly server: MemoryServer,
    private readonly clock: Clock,
    prefix: string,
    private readonly clientId: string,
  ) {
    this.rules = { prefix, clientPrefix: '' };
  }

  keys(name: string): LockKeys {
    return lockKeys(name, this.rules);
  }

  channel(keys: LockKeys): string {
    return grantChannel(this.clientId, keys, this.rules, false);
  }

  async acquire(keys: LockKeys, request: AcquireRequest): Promise<AcquireReply> {
    const lock = this.lockOf(keys);
    if (lock.held === undefined && request.entry !== undefined && request.ticket !== undefined) {
      this.enqueue(lock, request.entry, Number(request.ticket));
    }
    if (lock.held === undefined && this.handOff(lock, request.holderId) !== 'given') {
      return this.grant(lock, request.holderId, request.ttlMs, 'granted');
    }
    const remainingMs = Math.ceil((lock.held?.expiresAt ?? 0) - this.clock.now());
    if (lock.held?.holderId === request.holderId) {
      lock.queue = lock.queue.filter(({ entry }) => entry.holderId !== request.holderId);
      return this.grant(lock, request.holderId, remainingMs, 'yours');
    }
    if (request.entry === undefined) return { status: 'busy', remainingMs, foreign: false };
    return { ...this.join(lock, request.entry, request.ticket), remainingMs };
  }

  async release(keys: LockKeys, value: string, _limits: unknown, entry?: QueueEntry): Promise<ReleaseReply> {
    const lock = this.lockOf(keys);
    if (entry !== undefined)
      lock.queue = lock.queue.filter((queued) => queued.entry.holderId !== entry.holderId);
    const reply = isMine(lock.held, value) ? this.free(lock) : lock.held === undefined ? 'expired' : 'lost';
    if (lock.held === undefined && lock.queue.length === 0) this.forget(keys, lock);
    return reply;
  }

  async renew(keys: LockKeys, value: string, ttlMs: number): Promise<RenewReply> {
    const lock = this.lockOf(keys);
    if (!isMine(lock.held, value)) return lock.held === undefined ? 'expired' : 'lost';
    lock.held = { holderId: lock.held.holderId, expiresAt: this.clock.now() + ttlMs };
    return 'renewed';
  }

  async inspect(keys: LockKeys): Promise<LockState> {
    const { held, fence, queue } = this.lockOf(keys);
    return {
      state: held === undefined ? 'free' : 'ours',
      clientId: held?.holderId.split('.')[1] ?? '',
      remainingMs: held === undefined ? -2 : Math.ceil(held.expiresAt - this.clock.now()),
      fencingToken: fence === 0 ? undefined : fence,
      queueLength: queue.length,
      serverUs: this.nowUs(),
    };
  }

  async announce(clientId: string, card: string): Promise<void> {
    this.server.cards.set(clientId, card);
  }

  async card(clientId: string): Promise<string | undefined> {
    return this.server.cards.get(clientId);
  }

  async listen(events: SubscriberEvents): Promise<Subscriber> {
    const mine: string[] = [];
    const { listeners } = this.server;
    return {
      subscribe: async (channel) => {
        mine.push(channel);
        listeners.set(channel, (text) => events.message(channel, text));
      },
      unsubscribe: async (channel) => void listeners.delete(channel),
      close: async () => {
        for (const channel of mine) listeners.delete(channel);
      },
    };
  }

  async probe(): Promise<void> {}

  assertUsable(): void {}

  async advice(): Promise<readonly Advice[]> {
    return [];
  }

  detach(): void {
    this.server.cards.delete(this.clientId);
  }

  private lockOf(keys: LockKeys): MemoryLock {
    const lock = this.server.locks.get(keys.lock) ?? new MemoryLock();
    this.server.locks.set(keys.lock, lock);
    if (lock.held !== undefined && lock.held.expiresAt <= this.clock.now()) lock.held = undefined;
    return lock;
  }

  /** A free lock is forgotten once its last token is older than any that will come. */
  private forget(keys: LockKeys, lock: MemoryLock): void {
    if (lock.fence < this.nowUs()) this.server.locks.delete(keys.lock);
  }

  private nowUs(): number {
    return Math.floor((performance.timeOrigin + this.clock.now()) * 1000);
  }

  private grant(
    lock: MemoryLock,
    holderId: string,
    leaseMs: number,
    status: 'granted' | 'yours',
  ): AcquireReply {
    lock.fence = Math.max(lock.fence + 1, this.nowUs());
    lock.held = { holderId, expiresAt: this.clock.now() + leaseMs };
    return { status, fencingToken: lock.fence, leaseMs };
  }

  private join(lock: MemoryLock, entry: QueueEntry, ticket: string | undefined) {
    const known = lock.queue.find((queued) => queued.entry.holderId === entry.holderId);
    const place =
      ticket === undefined ? Math.max(this.nowUs(), (lock.queue.at(-1)?.ticket ?? 0) + 1) : Number(ticket);
    if (known === undefined) this.enqueue(lock, entry, place);
    const rank = lock.queue.findIndex((queued) => queued.entry.holderId === entry.holderId);
    const standing = { rank, isNew: known === undefined, foreign: false, serverUs: this.nowUs() };
    return { status: 'queued' as const, ticket: String(known?.ticket ?? place), ...standing };
  }

  private enqueue(lock: MemoryLock, entry: QueueEntry, ticket: number): void {
    if (lock.queue.some((queued) => queued.entry.holderId === entry.holderId)) return;
    lock.queue.push({ entry, ticket });
    lock.queue.sort((a, b) => a.ticket - b.ticket);
  }

  private free(lock: MemoryLock): ReleaseReply {
    lock.held = undefined;
    return this.handOff(lock) === 'given' ? 'given' : 'released';
  }

  private handOff(lock: MemoryLock, self?: string): 'given' | 'empty' | 'self' {
    for (let first = lock.queue.shift(); first !== undefined; first = lock.queue.shift()) {
      const { holderId, leaseMs, channel } = first.entry;
      if (holderId === self) return 'self';
      const listener = this.server.listeners.get(channel);
      if (listener === undefined) continue;
      this.grant(lock, holderId, leaseMs, 'granted');
      const grant = `${holderId} ${lock.fence} ${this.nowUs()} ${leaseMs}`;
      setImmediate(() => listener(grant));
      return 'given';
    }
    return 'empty';
  }
}
