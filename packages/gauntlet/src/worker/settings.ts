/** What a worker process is told when it starts: JSON on its command line. */
import type { ClientKind, Place } from '../place.ts';

/** What is acquired: a lock of the library's, or one of the wrong ones that the checks must find. */
export type Subject =
  | { readonly kind: 'lock' }
  /** Two locks at a time, or one twice. */
  | { readonly kind: 'several' }
  | { readonly kind: 'semaphore'; readonly limit: number; readonly slots: boolean }
  /** A reader weighs 1, a writer `limit`. */
  | { readonly kind: 'readWrite'; readonly limit: number }
  | { readonly kind: 'control'; readonly control: string; readonly limit: number };

/** How an ask goes: waiting its turn, waiting for two, once, for a very short time, or until it is called off. */
export type How = 'wait' | 'both' | 'try' | 'short' | 'abort';

export interface WorkerSettings {
  readonly place: Place;
  readonly client: ClientKind;
  /** Its history. */
  readonly file: string;
  /** The unix socket of the resource. */
  readonly resource: string;
  readonly seed: number;
  readonly subject: Subject;
  readonly names: readonly string[];
  /** So many contend in this process at a time. */
  readonly lanes: number;
  readonly ttlMs: number;
  /** Of an ask that waits its turn. */
  readonly waitMs: number;
  /** Up to so long each is held, drawn anew. */
  readonly holdMs: number;
  /** Weights. */
  readonly mix: Readonly<Partial<Record<How, number>>>;
  /** Of all holds, the share that outlasts its ttl by renewal. */
  readonly longHolds: number;
  /** The share of holds whose process is blocked between its look at the signal and its write. */
  readonly blocks: number;
  /** Each ask is followed by a round trip on the same connection, which tells by when it stood in the queue. */
  readonly ordered: boolean;
  /** Errors that an ask may end with under the faults of this run, by name. */
  readonly fine: readonly string[];
  /** Further ones, of an ask whose own deadline is shorter than the fault: a wait of a few milliseconds, a try. */
  readonly fineShort: readonly string[];
  /** Errors that a release may end with. */
  readonly fineReleases: readonly string[];
  readonly minReplicas: number;
}
