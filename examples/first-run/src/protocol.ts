/* What the orchestrator tells its workers, and what they report. Sent over IPC, so plain data only. */
import type { LeaseLostReason, ReleaseOutcome } from 'holdfast';

/** Each round of selling has a stock of its own. */
export type Round = 'without-lock' | 'with-lock';

export interface Opening {
  do: 'open';
  name: string;
  url: string;
  /** In front of every key, so that nothing else on the server is touched. */
  prefix: string;
}

export type Order =
  /** Sells until nothing is left. */
  | { do: 'sell'; round: Round }
  /** Holds the lock for so long. */
  | { do: 'hold'; forMs: number }
  /** Writes under the lock, and is busy for so long between its last check and the write. */
  | { do: 'write'; busyMs: number };

export type Happening =
  | { is: 'ready' }
  | { is: 'waiting' }
  | { is: 'holds'; token: number; handedOff: boolean; leftMs: number }
  | { is: 'sold'; stockLeft: number }
  | { is: 'wrote'; token: number; accepted: boolean; highest: number; lost: LeaseLostReason | undefined }
  | { is: 'releases'; token: number }
  | { is: 'released'; outcome: ReleaseOutcome }
  | { is: 'done' };

/** `at` is `machineNow()` in the reporting process. */
export type Report = Happening & { from: string; at: number };
