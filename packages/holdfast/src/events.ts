/** What Holdfast tells about itself: typed events on the instance, and the same on `node:diagnostics_channel`. No holderId in any. */
import { type Channel, channel } from 'node:diagnostics_channel';
import { EventEmitter } from 'node:events';
import type { LeaseLostReason } from './errors.ts';
import type { ForceReleaseOutcome, ReleaseOutcome } from './grant.ts';

export interface HoldfastEvents {
  /** A lease was acquired, at once or after a wait. */
  acquired: { name: string; fencingToken: number; ttlMs: number; tookMs: number; handedOff: boolean };
  /** A wait ended, one way or the other. */
  waited: {
    name: string;
    waitedMs: number;
    outcome: 'acquired' | 'timeout' | 'aborted' | 'deadlock' | 'failed';
  };
  /** A release of ours made the next waiter the holder. */
  handedOff: { name: string; fencingToken: number; heldMs: number };
  renewed: { name: string; fencingToken: number; tookMs: number; remainingMs: number };
  /** A renewal got no answer; it is tried again until the validity ends. */
  renewalUnknown: { name: string; fencingToken: number; remainingMs: number; error: Error };
  lost: { name: string; fencingToken: number; heldMs: number; reason: LeaseLostReason };
  released: { name: string; fencingToken: number; heldMs: number; tookMs: number; outcome: ReleaseOutcome };
  /** Somebody's lease was released by `forceRelease` of this instance; its holder hears of it at its next renewal. */
  forceReleased: { name: string; fencingToken: number | undefined; outcome: ForceReleaseOutcome };
  /** Something that works, but not as well as it should. Without a listener it becomes a process warning. */
  warning: { code: string; message: string };
}

export type HoldfastEventName = keyof HoldfastEvents;

const NAMES: readonly HoldfastEventName[] = [
  'acquired',
  'waited',
  'handedOff',
  'renewed',
  'renewalUnknown',
  'lost',
  'released',
  'forceReleased',
  'warning',
];

const channels = Object.fromEntries(NAMES.map((name) => [name, channel(`holdfast:${name}`)])) as Record<
  HoldfastEventName,
  Channel
>;

const MAX_WARNED = 10_000;

type Listener<K extends HoldfastEventName> = (event: HoldfastEvents[K]) => void;

export class Events {
  private readonly emitter = new EventEmitter();
  private readonly warned = new Set<string>();

  on<K extends HoldfastEventName>(name: K, listener: Listener<K>): void {
    this.emitter.on(name, listener);
  }

  off<K extends HoldfastEventName>(name: K, listener: Listener<K>): void {
    this.emitter.off(name, listener);
  }

  /** `make` is called only when somebody listens, so that unobserved locks pay nothing. */
  emit<K extends HoldfastEventName>(name: K, make: () => HoldfastEvents[K]): void {
    const heard = this.emitter.listenerCount(name) > 0;
    if (!heard && !channels[name].hasSubscribers) return;
    const event = Object.freeze(make());
    if (channels[name].hasSubscribers) channels[name].publish(event);
    if (heard) this.deliver(name, event);
  }

  /** Each code once per instance and `about`. */
  warn(code: string, message: string, about = ''): void {
    const once = `${code} ${about}`;
    if (this.warned.has(once)) return;
    const isFirst = !this.warned.has(code);
    if (this.warned.size < MAX_WARNED) this.warned.add(once).add(code);
    // Whoever does not listen is told of the first only: there may be as many as names.
    if (isFirst && this.emitter.listenerCount('warning') === 0)
      process.emitWarning(message, { type: 'HoldfastWarning', code });
    this.emit('warning', () => ({ code, message }));
  }

  /** A listener that throws is its owner's fault; it must not change what happens to a lock. */
  private deliver(name: HoldfastEventName, event: unknown): void {
    for (const listener of this.emitter.listeners(name)) {
      try {
        listener(event);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
