/* The workers: processes when there is a server, tasks of this process when there is none. */
import { Member, machineNow, type Reports } from '@holdfast/example-common';
import { Holdfast, MemoryServer } from 'holdfast';
import { Clerk } from './clerk.ts';
import type { Opening, Order, Report } from './protocol.ts';
import type { Shop } from './shop.ts';

export const NAMES = ['A', 'B', 'C', 'D'];

export interface Worker {
  readonly name: string;
  send(order: Order): void;
}

export class WorkerProcess extends Member<Opening | Order, Report> implements Worker {
  constructor(
    name: string,
    private readonly told: Reports<Report>,
  ) {
    super(name, new URL('./worker.js', import.meta.url), told);
  }

  async open(place: { url: string; prefix: string }): Promise<void> {
    const ready = this.told.until('ready', this.name);
    this.send({ do: 'open', name: this.name, ...place });
    await ready;
  }
}

class Task implements Worker {
  readonly name: string;
  private readonly clerk: Clerk;
  private readonly reports: Reports<Report>;

  constructor(name: string, server: MemoryServer, shop: Shop, reports: Reports<Report>) {
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

export function startTasks(shop: Shop, reports: Reports<Report>): Worker[] {
  const server = new MemoryServer();
  return NAMES.map((name) => new Task(name, server, shop, reports));
}
