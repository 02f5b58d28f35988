/* Limit, held, free and waiting as Redis knows them, over time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { dim, machineNow, number, paint } from '@holdfast/example-common';
import type { Semaphore } from 'holdfast';
import type { Judge } from './judge.ts';
import type { Moment } from './result.ts';

const LOOK_EVERY_MS = 100;
/** A row for each half second; one for each look while more are held than the limit allows. */
const ROW_EVERY_MS = 500;

export const HEADER = dim('     time  limit  held  free  waiting   running, as the database counts');

export class Timeline {
  readonly rows: Moment[] = [];
  latest: Moment | undefined;
  private readonly permits: Semaphore;
  private readonly judge: Judge;
  private startedAt = 0;
  private readonly rowAdded: (row: Moment) => void;
  private going = true;

  constructor(permits: Semaphore, judge: Judge, rowAdded: (row: Moment) => void) {
    this.permits = permits;
    this.judge = judge;
    this.rowAdded = rowAdded;
  }

  /** Until `stop()`. */
  async watch(): Promise<void> {
    this.startedAt = machineNow();
    while (this.going) {
      this.see(await this.look());
      await sleep(LOOK_EVERY_MS);
    }
  }

  stop(): void {
    this.going = false;
  }

  private async look(): Promise<Moment> {
    const { limit, held, free, queueLength: waiting } = await this.permits.inspect();
    return { atMs: machineNow() - this.startedAt, limit, held, free, waiting, running: this.judge.count };
  }

  private see(moment: Moment): void {
    if (!this.going) return;
    this.latest = moment;
    const last = this.rows.at(-1)?.atMs ?? Number.NEGATIVE_INFINITY;
    const above = moment.held > (moment.limit ?? 0);
    if (!above && moment.atMs - last < ROW_EVERY_MS) return;
    this.rows.push(moment);
    this.rowAdded(moment);
  }
}

export function rowText({ atMs, limit, held, free, waiting, running }: Moment): string {
  const time = `${number(atMs / 1000, 1)} s`.padStart(9);
  const counts = [String(limit ?? '-').padStart(7), ...[held, free].map((n) => String(n).padStart(6))];
  return `${time}${counts.join('')}${String(waiting).padStart(9)}   ${bar(running, limit ?? 0)}`;
}

/** What is above the limit in another colour. */
export function bar(running: number, limit: number): string {
  const within = Math.min(running, limit);
  return `${paint('green', '▪'.repeat(within))}${paint('yellow', '▪'.repeat(running - within))} ${running}`;
}
