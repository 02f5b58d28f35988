/** A library with one set of settings, or the bare commands: what the parts measure beside each other. */
import type { Redis } from 'ioredis';
import type { Client, ClientId } from '../clients.ts';

export interface Contender {
  readonly id: string;
  /** As it stands in the tables; says what is not left at its default. */
  readonly label: string;
  /** The floor is no rival: it is what the others are measured by. */
  readonly role: 'holdfast' | 'floor' | 'rival';
  /** The npm package, by the name that it is installed under. */
  readonly package?: string;
  /** Its settings are about waiting only: nothing to measure where nobody waits. */
  readonly onlyWaiting?: true;
  /** Locks on one server with these clients, the first of which is used where one is enough. */
  readonly on: readonly ClientId[];
  /** Commands of one acquire + release that the client sends, and how many of each the server counts are those: what scripts do inside is counted too, and is in the time of the script already. */
  readonly commands: Readonly<Record<string, number>>;
  lock?(client: Client, options: LockOptions): Promise<Lock>;
  /** Locks on several independent servers, the nodes. */
  quorum?(nodes: readonly Redis[]): Promise<Lock>;
  semaphore?(client: Client, options: SemaphoreOptions): Promise<Semaphore>;
}

interface LockOptions {
  readonly ttlMs: number;
}

export interface SemaphoreOptions extends LockOptions {
  readonly limit: number;
  /** Whether leases are renewed in the background. */
  readonly renew: boolean;
}

export type Release = () => Promise<unknown>;

export interface Lock {
  /** Waits as the library waits, and rejects when it gives up. The floor does not wait: it throws when it is refused. */
  acquire(name: string): Promise<Release>;
  close?(): Promise<unknown>;
}

export interface Semaphore extends Lock {
  /** Resolves with `undefined` when no permit is free now. */
  tryAcquire(name: string): Promise<Release | undefined>;
}

/** Holdfast's default and redis-semaphore's; those that have no default are given it, those with another one too. */
export const TTL_MS = 10_000;

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
