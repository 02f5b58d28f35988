/** Something that locks on several independent servers, the nodes, to be compared with others of its kind. */
import type { Redis } from 'ioredis';

export interface Contender {
  readonly id: string;
  /** As it stands in the table; says what is not left at its default. */
  readonly label: string;
  /** It does not wait for a taken lock, therefore it has no part in the contended run. */
  readonly noWaiting?: true;
  /** Everything for one lock name, in one process. */
  open(nodes: readonly Redis[], name: string): Promise<Opened>;
}

export interface Opened {
  /** Rejects when it gives up. */
  acquire(): Promise<Release>;
  close?(): Promise<void>;
}

export type Release = () => Promise<unknown>;

/** For those that have no default. It is Holdfast's and redis-semaphore's; redlock-universal's is 30,000. */
export const TTL_MS = 10_000;

/** What became of a contender: figures, or why there are none. */
export type Result<T> = { readonly id: string; readonly label: string } & (T | { readonly failed: string });

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
