/* The tasks of one worker process. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Holdfast, Semaphore } from 'holdfast';
import type { MarketplaceClient } from './marketplace-client.ts';
import type { Tally } from './protocol.ts';
import {
  BUSY_PAUSE_MS,
  between,
  LIMIT,
  PAUSE_MS,
  pickAccount,
  semaphoreName,
  TASKS_EACH,
  TTL_MS,
} from './rules.ts';

export class Team {
  private working = false;
  private tasks: Promise<void>[] = [];
  private tally: Tally = { busyMs: [], lost: 0 };
  private readonly semaphores = new Map<number, Semaphore>();

  constructor(
    private readonly holdfast: Holdfast,
    private readonly marketplace: MarketplaceClient,
  ) {
    holdfast.on('lost', () => this.tally.lost++);
  }

  /** Rejects as soon as a task fails; resolves when all rest. */
  async work(guarded: boolean): Promise<void> {
    this.working = true;
    this.tally = { busyMs: [], lost: 0 };
    this.tasks = Array.from({ length: TASKS_EACH }, () => this.keepCalling(guarded));
    await Promise.all(this.tasks);
  }

  async rest(): Promise<Tally> {
    this.working = false;
    await Promise.all(this.tasks);
    return this.tally;
  }

  private async keepCalling(guarded: boolean): Promise<void> {
    await sleep(between({ least: 0, most: PAUSE_MS.most })); // not all at the same moment
    while (this.working) {
      const account = pickAccount();
      const called = guarded ? await this.callWithSeat(account) : await this.call(account);
      await sleep(between(called ? PAUSE_MS : BUSY_PAUSE_MS));
    }
  }

  private async call(account: number): Promise<boolean> {
    await this.marketplace.offer(account);
    return true;
  }

  /** The same call, if one of the account's seats is free. Says whether it was. */
  private async callWithSeat(account: number): Promise<boolean> {
    const askedAt = performance.now();
    await using lease = await this.seats(account).tryAcquire();
    if (!lease) {
      this.tally.busyMs.push(performance.now() - askedAt);
      return false;
    }
    // Should the seat be lost while the call runs, the call is broken off: somebody else may have the seat.
    await this.marketplace.offer(account, lease.signal).catch((error: Error) => {
      if (!lease.lost) throw error;
    });
    return true;
  }

  private seats(account: number): Semaphore {
    const known = this.semaphores.get(account);
    if (known) return known;
    const semaphore = this.holdfast.semaphore(semaphoreName(account), { limit: LIMIT, ttlMs: TTL_MS });
    this.semaphores.set(account, semaphore);
    return semaphore;
  }
}
