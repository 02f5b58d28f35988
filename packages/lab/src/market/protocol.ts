/** What the processes of the market say to each other. */
import type { Listing } from './data.ts';
import type { WayName } from './ways/index.ts';

export type Role = 'lister' | 'buyer';

/** Handed to a worker when it starts. */
export interface Assignment {
  readonly port: number;
  readonly way: WayName;
  readonly role: Role;
  readonly id: string;
  /** A lister's first number that is not on the market yet. */
  readonly firstItem: number;
}

export interface Go {
  readonly type: 'go';
  readonly warmUpMs: number;
  readonly runMs: number;
}

/** What a worker did, the warm-up included: what the check at the end goes by. */
export interface Journal {
  readonly id: string;
  readonly listed: readonly Listing[];
  readonly bought: readonly Listing[];
  /** A lister was given its items up to this number. */
  readonly delivered: number;
}

/** What a worker measured. */
export interface Measured {
  readonly role: Role;
  readonly done: number;
  readonly waitsMs: readonly number[];
  readonly retries: number;
  readonly gone: number;
  readonly late: number;
  /** Sent to the server, per operation, the warm-up included. */
  readonly commands: number;
  readonly operations: number;
  readonly cpuMs: number;
}

export interface Finished {
  readonly type: 'done';
  readonly journal: Journal;
  readonly measured: Measured;
}

export type FromWorker = { readonly type: 'ready' } | Finished;
