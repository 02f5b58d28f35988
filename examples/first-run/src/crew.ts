/* The workers: processes when there is a server, tasks of this process when there is none. */
import { type Worker as Process, startWorker } from '@holdfast/testkit';
import { Holdfast, MemoryServer } from 'holdfast';
import { Clerk } from './clerk.ts';
import { machineNow } from './clock.ts';
import type { Opening, Order, Report } from './protocol.ts';
import type { Reports } from './reports.ts';
import type { Shop } from './shop.ts';

export const NAMES = ['A', 'B', 'C', 'D'];

export interface Worker {
  readonly name: string;
  send(order: Order): void;
}

export class WorkerProcess implements Worker {
  readonly name: string;
  private readonly process: Process;
  private readonly reports: Reports;
  private mayEnd = false;

  constructor(name: string, reports: Reports) {
    this.name = name;
    this.reports = reports;
    this.process = startWorker(new URL('./worker.js', import.meta.url));
    void this.listen();
  }

  get pid(): number {
    return this.process.pid;
  }

  async open(place: { url: string; prefix: string }): Promise<void> {
    const ready = this.reports.until('ready', ({ from }) => from === this.name);
    this.process.send({ do: 'open', name: this.name, ...place } satisfies Opening);
    await ready;
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
    for await (const message of this.process.messages) this.reports.put(message as Report);
    if (this.mayEnd) return;
    const { code, signal } = await this.process.exited;
    this.reports.fail(new Error(`worker ${this.name} ended by itself (${signal ?? `exit code ${code}`})`));
  }
}

class Task implements Worker {
  readonly name: string;
  private readonly clerk: Clerk;
  private readonly reports: Reports;

  constructor(name: string, server: MemoryServer, shop: Shop, reports: Reports) {
    this.name = name;
    this.reports = reports;
    const tell = async (happening: object) =>
      reports.put({ ...happening, from: name, at: machineNow() } as Report);
    this.clerk = new Clerk({ name, holdfast: Holdfast.inMemory({ server }), shop, tell });
  }

  send(order: Order): void {
    this.clerk.follow(order).catch((error: Error) => this.reports.fail(error));
  }
}

export function startTasks(shop: Shop, reports: Reports): Worker[] {
  const server = new MemoryServer();
  return NAMES.map((name) => new Task(name, server, shop, reports));
}
