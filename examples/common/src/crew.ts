/* A worker process as the program that started it sees it: takes orders, sends reports, can be killed. */
import { startWorker, type Worker } from '@holdfast/testkit';
import type { Reports, Told } from './reports.ts';

export class Member<Order extends object, R extends Told> {
  readonly name: string;
  private readonly process: Worker;
  private readonly reports: Reports<R>;
  private mayEnd = false;

  /** @param script runs `followOrders` */
  constructor(name: string, script: URL, reports: Reports<R>) {
    this.name = name;
    this.reports = reports;
    this.process = startWorker(script, { args: [name] });
    void this.listen();
  }

  get pid(): number {
    return this.process.pid;
  }

  send(order: Order): void {
    this.process.send(order);
  }

  stop(): void {
    this.process.stop();
  }

  cont(): void {
    this.process.cont();
  }

  /** SIGKILL. Resolves when the process is gone. */
  async kill(): Promise<void> {
    this.mayEnd = true;
    await this.process.kill9();
  }

  private async listen(): Promise<void> {
    for await (const message of this.process.messages) this.hear(message as R);
    if (this.mayEnd) return;
    const { code, signal } = await this.process.exited;
    this.reports.fail(new Error(`worker ${this.name} ended by itself (${signal ?? `exit code ${code}`})`));
  }

  private hear(report: R | ({ is: 'failed'; why: string } & Told)): void {
    if ('why' in report && report.is === 'failed')
      this.reports.fail(new Error(`worker ${this.name} failed: ${report.why}`));
    else this.reports.put(report as R);
  }
}
