/**
 * Where this process hears of its grants: one connection, opened before the first wait, shared by all waits, closed when
 * nobody has waited for a while. In a cluster one channel per slot.
 */
import type { Subscriber } from '../client.ts';
import type { Store } from '../store/store.ts';

/** Unused for this long, the connection is closed. Its timer never keeps the process alive. */
const IDLE_MS = 5_000;

export interface MailboxEvents {
  message(text: string): void;
  /** Messages may have been missed: everybody has to ask again. */
  interrupted(channel?: string): void;
}

export class Mailbox {
  private subscriber: Promise<Subscriber> | undefined;
  private readonly channels = new Map<string, Promise<void>>();
  private readonly ready = new Set<string>();
  private users = 0;
  private lastUsed = 0;
  private idleTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly store: Store,
    private readonly events: MailboxEvents,
  ) {}

  isOpen(channel: string): boolean {
    return this.ready.has(channel);
  }

  /** Resolves when messages on `channel` reach us; rejects with the client's error when they cannot. */
  open(channel: string): Promise<void> {
    const known = this.channels.get(channel);
    if (known !== undefined) return known;
    const opening = this.subscribe(channel).then(
      () => {
        this.ready.add(channel);
      },
      (error: unknown) => {
        if (this.channels.get(channel) === opening) this.channels.delete(channel);
        throw error;
      },
    );
    this.channels.set(channel, opening);
    return opening;
  }

  /** Somebody was passed over as not listening: the subscription may sit where nobody publishes (a replica). */
  refresh(channel: string): void {
    if (!this.ready.delete(channel)) return;
    this.channels.delete(channel);
    const reopen = () => this.reopen(channel);
    void this.subscriber?.then((subscriber) => subscriber.unsubscribe(channel)).then(reopen, reopen);
  }

  /** A wait begins: the connection stays until `left`. */
  entered(): void {
    this.users++;
  }

  left(): void {
    this.users--;
    this.lastUsed = performance.now();
    this.idleTimer ??= setTimeout(this.closeIfIdle, IDLE_MS).unref();
  }

  async close(): Promise<void> {
    clearTimeout(this.idleTimer);
    this.idleTimer = undefined;
    const { subscriber } = this;
    this.forget();
    // A connection that never came about has nothing to close.
    await subscriber?.then(
      (open) => open.close(),
      () => undefined,
    );
  }

  private readonly closeIfIdle = (): void => {
    this.idleTimer = undefined;
    const idleMs = performance.now() - this.lastUsed;
    if (this.users === 0 && idleMs >= IDLE_MS) void this.close();
    else if (this.users === 0) this.idleTimer = setTimeout(this.closeIfIdle, IDLE_MS - idleMs + 1).unref();
  };

  private async subscribe(channel: string): Promise<void> {
    this.subscriber ??= this.connect();
    const subscriber = await this.subscriber;
    await subscriber.subscribe(channel);
  }

  private connect(): Promise<Subscriber> {
    const connecting = this.store.listen({
      message: (_channel, text) => this.events.message(text),
      resubscribed: () => this.events.interrupted(),
      dropped: (channel) => this.reopen(channel),
    });
    connecting.catch(() => {
      if (this.subscriber === connecting) this.forget();
    });
    return connecting;
  }

  /** The channel's slot moved. Waiters ask again in any case; the grants come back as soon as the new node listens. */
  private reopen(channel: string): void {
    if (this.subscriber === undefined) return;
    this.channels.delete(channel);
    this.ready.delete(channel);
    this.open(channel).then(
      () => this.events.interrupted(channel),
      () => this.events.interrupted(channel),
    );
  }

  private forget(): void {
    this.subscriber = undefined;
    this.channels.clear();
    this.ready.clear();
  }
}
