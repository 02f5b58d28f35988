/* The worker processes, as the orchestrator sees them. */
import { startWorker, type Worker } from '@holdfast/testkit';
import type { Opening, Order, Report, Tally } from './protocol.ts';

/** Longer than it takes to start, or to come to rest, on a machine that has a lot to do. */
const PATIENCE_MS = 30_000;

type ReportOf<K extends Report['is']> = Extract<Report, { is: K }>;

export class WorkerProcess {
  private readonly process: Worker = startWorker(new URL('./worker.js', import.meta.url));

  constructor(readonly name: string) {}

  get pid(): number {
    return this.process.pid;
  }

  async open(opening: Omit<Opening, 'do' | 'name'>): Promise<void> {
    this.send({ do: 'open', name: this.name, ...opening });
    await this.report('ready');
  }

  work(guarded: boolean): void {
    this.send({ do: 'work', guarded });
  }

  async rest(): Promise<Tally> {
    this.send({ do: 'rest' });
    return (await this.report('rested')).tally;
  }

  freeze(): void {
    this.process.stop();
  }

  thaw(): void {
    this.process.cont();
  }

  /** SIGKILL. Resolves when the process is gone. */
  async kill(): Promise<void> {
    await this.process.kill9();
  }

  private send(order: Order): void {
    this.process.send(order);
  }

  /** Rejects when the process has failed or ended instead. */
  private async report<K extends Report['is']>(is: K): Promise<ReportOf<K>> {
    const wanted = (report: Report) => report.is === is || report.is === 'failed';
    const report = await this.process.waitFor<Report>(wanted, PATIENCE_MS);
    if (report.is === 'failed') throw new Error(`worker process ${this.name} failed: ${report.why}`);
    return report as ReportOf<K>;
  }
}
