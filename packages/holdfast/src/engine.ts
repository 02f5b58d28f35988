/** What the parts of one Holdfast instance share. */
import type { Clock } from './clock.ts';
import { ClosedError, type LeaseLostReason, type Subject } from './errors.ts';
import type { Events } from './events.ts';
import type { ForceReleaseOutcome } from './grant.ts';
import { Renewals } from './renewals.ts';
import type { CallLimits, Holdable, QueueEntry, ReleaseReply, Store } from './store/store.ts';

/** Something that is held, seen from whoever ends it. */
export interface Endable {
  end(reason: LeaseLostReason): Promise<void>;
}

export class Engine {
  /** Held now; `close()` ends them. */
  readonly leases = new Set<Endable>();
  readonly renewals = new Renewals();
  closed = false;
  private readonly background = new Set<Promise<unknown>>();
  private readonly releasing = new Map<string, Promise<unknown>>();

  constructor(
    readonly store: Store,
    readonly clock: Clock,
    readonly clientId: string,
    readonly events: Events,
    readonly commandTimeoutMs: number,
  ) {}

  assertOpen(subject?: Subject): void {
    if (this.closed) throw new ClosedError('this Holdfast instance is closed; make a new one', subject);
    this.store.assertUsable(subject);
  }

  /** The library's own deadline for one operation that starts now. */
  limits(): CallLimits {
    return { deadlineAt: this.clock.now() + this.commandTimeoutMs };
  }

  /**
   * A release whose pending state others in this process can see: a waiter here must not get the lock before
   * the release that freed it has settled.
   */
  async release(
    target: Holdable,
    value: string,
    entry?: QueueEntry,
    resent?: () => void,
  ): Promise<ReleaseReply> {
    const reply = target.release(value, { ...this.limits(), resent }, entry);
    this.releasing.set(target.key, reply);
    try {
      return await reply;
    } finally {
      if (this.releasing.get(target.key) === reply) this.releasing.delete(target.key);
    }
  }

  /** Resolves however that release ends; its caller is fewer turns of the microtask queue away than any waiter's. */
  pendingRelease(target: Holdable): Promise<void> | undefined {
    return this.releasing.get(target.key)?.then(
      () => undefined,
      () => undefined,
    );
  }

  /** Releases somebody else's lease, and tells of it. */
  async forceRelease<Token extends number | undefined>(
    target: Subject & { forceRelease(fencingToken: Token, limits: CallLimits): Promise<ReleaseReply> },
    fencingToken: Token,
  ): Promise<ForceReleaseOutcome> {
    this.assertOpen(target);
    const reply = await target.forceRelease(fencingToken, this.limits());
    const outcome = reply === 'given' ? 'handedOff' : reply === 'mute' ? 'released' : reply;
    this.events.emit('forceReleased', () => ({ name: target.name, fencingToken, outcome }));
    return outcome;
  }

  /** Takes back what a call that gave up may have got: its place in the queue, the lease, or both. Never rejects. */
  undo(target: Holdable, holderId: string, entry?: QueueEntry): Promise<void> {
    return this.inBackground(this.release(target, holderId, entry));
  }

  /** Keeps `close()` waiting for `work`; its failure is nobody's business any more (the lease expires by itself). */
  inBackground(work: Promise<unknown>): Promise<void> {
    const settled = work.then(
      () => undefined,
      () => undefined,
    );
    this.background.add(settled);
    void settled.then(() => this.background.delete(settled));
    return settled;
  }

  async idle(): Promise<void> {
    while (this.background.size > 0) await Promise.all(this.background);
  }
}
