/** What several `Holdfast.inMemory({ server })` share, as clients share a server. */
import type { Clock } from '../clock.ts';
import { type Subject, WrongTypeError } from '../errors.ts';
import type { MemoryQueue } from './memory-queue.ts';

export class MemoryServer {
  /** By main key. @internal */
  readonly names = new Map<string, MemoryName>();
  /** @internal */
  readonly listeners = new Map<string, (text: string) => void>();
  /** @internal */
  readonly cards = new Map<string, string>();
  /** @internal */
  readonly notes = new Map<string, { readonly text: string; readonly until: number }>();

  /**
   * What stands at that key, made where nothing does. @internal
   * @throws WrongTypeError when it is of another kind
   */
  at<T extends MemoryName>(key: string, subject: Subject, Kind: new () => T): T {
    const known = this.names.get(key);
    if (known instanceof Kind) return known;
    if (known?.exists()) throw new WrongTypeError(subject, known.kind);
    const made = new Kind();
    this.names.set(key, made);
    return made;
  }

  /** Tells whoever listens, as a message does: not within this turn. @internal */
  tell(channel: string, text: string): void {
    const listener = this.listeners.get(channel);
    setImmediate(() => listener?.(text));
  }
}

/** A lock, a semaphore or a read-write lock. @internal */
export interface MemoryName {
  readonly kind: 'lock' | 'semaphore' | 'read-write lock';
  readonly queue: MemoryQueue;
  /** Whether there would be a key on a server. */
  exists(): boolean;
  /** The holderIds of the leases that have not ended; none while so many permits are free and nobody waits. */
  holders(now: number, permits?: number): readonly string[];
}

/** The clock of the pretended server, in µs since the epoch. */
export function serverUs(clock: Clock): number {
  return Math.floor((performance.timeOrigin + clock.now()) * 1000);
}
