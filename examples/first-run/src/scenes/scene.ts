import type { Reports, Story } from '@holdfast/example-common';
import type { Board } from '../board.ts';
import type { Worker } from '../crew.ts';
import type { Order, Report } from '../protocol.ts';
import type { Shop } from '../shop.ts';

/** What every scene has at hand. */
export interface Stage {
  readonly workers: readonly Worker[];
  readonly reports: Reports<Report>;
  readonly shop: Shop;
  readonly board: Board;
  readonly view: Story;
}

export const STOCK = 200;
export const PRICE = 40;
export const CURRENCY = 'euros';

/** Gives all the same order, and waits until all have done it. */
export async function allDo(stage: Stage, workers: readonly Worker[], order: Order): Promise<void> {
  const done = workers.map(({ name }) => stage.reports.until('done', name));
  for (const worker of workers) worker.send(order);
  await Promise.all(done);
}
