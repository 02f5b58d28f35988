/* What the program tells its workers, and what they report. Sent over IPC, so plain data only. */
import type { Told } from '@holdfast/example-common';
import type { LeaseLostReason } from 'holdfast';

/** The one semaphore of this example: how many queries the database shall have to bear at once. */
export const CAP = { name: 'database', ttlMs: 5_000 };
export const TASKS = 6;
/** What each worker process believes the limit to be. The last one was started with an old configuration. */
export const CONFIGURED: Readonly<Record<string, number>> = { A: 4, B: 4, C: 4, D: 8 };

export type Order =
  | {
      do: 'open';
      url: string;
      /** In front of every key, so that nothing else on the server is touched. */
      prefix: string;
      limit: number;
      /** Address of the database. */
      database: string;
    }
  /** Runs so many tasks, each of which sends one query after the other. */
  | { do: 'work'; tasks: number }
  /** Lets the queries under way end, and begins no more. */
  | { do: 'stop' };

export type Happening =
  | { is: 'ready' }
  /** A `warning` event of the library. */
  | { is: 'warned'; code: string; message: string }
  /** A lease ended while its query ran. */
  | { is: 'lost'; reason: LeaseLostReason }
  | { is: 'stopped'; queries: number };

export type Report = Happening & Told;
