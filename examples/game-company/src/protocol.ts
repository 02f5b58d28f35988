/* What the orchestrator tells its worker processes, and what they report. Sent over IPC, so plain data only. */

export interface Opening {
  do: 'open';
  name: string;
  url: string;
  /** In front of every key, so that nothing else on the server is touched. */
  prefix: string;
  marketplacePort: number;
}

export type Order =
  | Opening
  /** All tasks call, with or without asking the account's semaphore first, until they are told to rest. */
  | { do: 'work'; guarded: boolean }
  /** Each task finishes its call. */
  | { do: 'rest' };

/** Of one process, from `work` to `rest`. */
export interface Tally {
  /** For each answer "busy": how long it took. */
  busyMs: number[];
  /** Leases that ended before their call did. */
  lost: number;
}

export type Report = { is: 'ready' } | { is: 'rested'; tally: Tally } | { is: 'failed'; why: string };
