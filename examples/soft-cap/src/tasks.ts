/* Background tasks that never send a query without a permit. */
import type { Holdfast, Semaphore, SemaphoreLease } from 'holdfast';
import { CAP } from './protocol.ts';

const WAIT_MS = 60_000;

export class Tasks {
  private readonly database: string;
  private readonly permits: Semaphore;
  private readonly stopping = new AbortController();

  /** @param limit counts only until somebody has stored another one */
  constructor({ database, holdfast, limit }: { database: string; holdfast: Holdfast; limit: number }) {
    this.database = database;
    this.permits = holdfast.semaphore(CAP.name, { limit, ttlMs: CAP.ttlMs, waitMs: WAIT_MS });
  }

  /** Until `stop()`. @returns how many queries they have sent */
  async run(count: number): Promise<number> {
    const sent = await Promise.all(Array.from({ length: count }, () => this.oneAfterTheOther()));
    return sent.reduce((sum, each) => sum + each, 0);
  }

  stop(): void {
    this.stopping.abort();
  }

  private async oneAfterTheOther(): Promise<number> {
    const { signal } = this.stopping;
    for (let sent = 0; ; sent++) {
      try {
        await this.permits.use((lease) => this.query(lease), { signal });
      } catch (error) {
        if (error === signal.reason) return sent; // the wait was cancelled; a query under way never is
        throw error;
      }
    }
  }

  private async query(lease: SemaphoreLease): Promise<void> {
    const headers = { 'x-permit': String(lease.fencingToken) };
    const response = await fetch(this.database, { method: 'POST', headers, signal: lease.signal });
    await response.text();
  }
}
