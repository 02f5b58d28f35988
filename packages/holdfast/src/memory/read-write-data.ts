/** Who reads and writes within this process: what the scripts keep on a server. */
import { type QueueEntry, type ReadWriteMode, WEIGHTS } from '../store/store.ts';
import { MemoryQueue } from './memory-queue.ts';
import type { MemoryName } from './memory-server.ts';

/** A lease that waits to become a writer. */
export interface Upgrading {
  readonly holderId: string;
  readonly number: number;
}

export interface Turn extends QueueEntry {
  readonly wants: ReadWriteMode | Upgrading;
}

export interface ReadWriteHolding {
  mode: ReadWriteMode;
  readonly token: number;
  /** Of the upgrade, while it writes after one. */
  upgraded: number | undefined;
  /** The number of the last attempt to upgrade; a half more when that one is over. */
  lastAttempt: number;
  expiresAt: number;
}

export class ReadWriteData implements MemoryName {
  readonly kind = 'read-write lock';
  lastToken = 0;
  readonly leases = new Map<string, ReadWriteHolding>();
  readonly queue = new MemoryQueue<Turn>();

  exists(): boolean {
    return this.lastToken > 0;
  }

  holders(now: number, weight?: number): readonly string[] {
    const live = [...this.leases].filter(([, { expiresAt }]) => expiresAt > now);
    const held = live.reduce((sum, [, { mode }]) => sum + WEIGHTS[mode], 0);
    const isFree = weight !== undefined && held + weight <= WEIGHTS.write && this.queue.length === 0;
    return isFree ? [] : live.map(([holderId]) => holderId);
  }

  nextToken(nowUs: number): number {
    this.lastToken = Math.max(nowUs, this.lastToken + 1);
    return this.lastToken;
  }

  fits(mode: ReadWriteMode): boolean {
    const held = [...this.leases.values()].map((lease) => lease.mode);
    if (mode === 'write') return held.length === 0;
    return !held.includes('write') && !(mode === 'upgradeable' && held.includes('upgradeable'));
  }

  /** The lease that this attempt may make a writer; `undefined` when it is gone, or the attempt is over. */
  upgradeable({ holderId, number }: Upgrading): ReadWriteHolding | undefined {
    const lease = this.leases.get(holderId);
    return lease === undefined || lease.mode === 'read' || number < lease.lastAttempt ? undefined : lease;
  }

  /** Now, not now (`false`), or never (`undefined`). */
  possible(wants: Turn['wants']): boolean | undefined {
    if (typeof wants === 'string') return this.fits(wants);
    const lease = this.upgradeable(wants);
    return lease && (lease.mode === 'write' || this.leases.size === 1);
  }
}
