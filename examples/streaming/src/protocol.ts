/* What the program tells its subscribers, and what they report. Sent over IPC, so plain data only. */
import type { Told } from '@holdfast/example-common';
import type { LeaseLostReason } from 'holdfast';

/** The one semaphore of this example: how many may be connected to the stream at once. */
export const SEATS = { name: 'stream:prices', limit: 4 };
/** Subscriber processes, in the order in which they ask for a seat. */
export const NAMES = ['A', 'B', 'C', 'D', 'E', 'F', 'G'];

export type Order =
  | {
      do: 'open';
      /** Of Redis, or of the proxy before it. */
      url: string;
      /** The name in the server's certificate, where the address is the proxy's. */
      servername: string | undefined;
      ttlMs: number;
      /** In front of every key, so that nothing else on the server is touched. */
      prefix: string;
      /** Of the stream of prices. */
      stream: string;
    }
  /** Takes a seat, waiting for it if need be, and listens until it leaves or loses the seat. */
  | { do: 'subscribe' }
  /** Ends the connection, then gives the seat back. */
  | { do: 'leave' };

/** What one subscription has seen, from its seat to its end. */
export interface Heard {
  token: number;
  renewals: number;
  events: number;
  /** Events that are missing between the first and the last. */
  missed: number;
}

export type Happening =
  /** Its program is loaded. */
  | { is: 'started' }
  | { is: 'ready' }
  | { is: 'seated'; seat: number; token: number; handedOff: boolean; waitedMs: number }
  /** The server has answered, and pushes from now on. */
  | { is: 'listening' }
  /** `lease.signal` aborted. `endsAt`: when the validity ends, by what the lease said at its last renewal. */
  | { is: 'told'; reason: LeaseLostReason | undefined; endsAt: number }
  /** The connection is closed, the seat not yet given back. */
  | ({ is: 'closed' } & Heard)
  | { is: 'done' };

export type Report = Happening & Told;
