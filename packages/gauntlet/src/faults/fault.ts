/** A fault that can be inflicted on a run at any time. */
import type { RedisProcess, TcpProxy } from '@holdfast/testkit';
import type { Crew } from '../arena/crew.ts';
import type { ResourceProcess } from '../arena/resource.ts';
import type { Random } from '../random.ts';

/** What can be hit. */
export interface Arena {
  readonly crew: Crew;
  readonly resource: ResourceProcess;
  /** The server, or the nodes. */
  readonly servers: readonly RedisProcess[];
  /** By worker, the ways to its servers, where they lead through proxies. */
  readonly ways: readonly (readonly TcpProxy[])[];
  readonly names: readonly string[];
  readonly ttlMs: number;
}

/** Whom it hit, if it was one process. */
interface Hit {
  readonly pid?: number;
  readonly killed?: true;
}

export interface Fault {
  /** For the table. */
  readonly what: string;
  /** For how long after its end what was under way may still suffer, in ms. */
  readonly graceMs: (ttlMs: number) => number;
  /** It needs the servers for itself: no other of this kind strikes meanwhile. */
  readonly alone?: true;
  /** The server may lose what it had promised. */
  readonly erasing?: true;
  /** Resolves when it is over; with nothing where there was nobody to be hit. */
  strike(arena: Arena, random: Random): Promise<Hit | undefined>;
}

export const aLease = (ttlMs: number): number => ttlMs;
/** A lease, and a client's way back. */
export const aLeaseAndReconnect = (ttlMs: number): number => ttlMs + 250;
