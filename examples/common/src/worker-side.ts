/*
 * The other side of `Member`: what a worker process does with orders, and how it reports. An entry of its own, so that a
 * worker does not load what only the program needs.
 */
import { machineNow } from './machine-clock.ts';

export { machineNow } from './machine-clock.ts';

/** Follows every order at once; one that fails ends the whole program, with the reason. */
export function followOrders<Order>(follow: (order: Order) => Promise<void>): void {
  process.on('message', (order: Order) => {
    follow(order).catch((error: Error) => tell({ is: 'failed', why: error.message }));
  });
  process.on('disconnect', () => process.exit());
  // Ctrl-C reaches every process of the terminal's group; the program alone decides how this one ends.
  process.on('SIGINT', () => {});
}

export function workerName(): string {
  return process.argv[2] ?? '';
}

export function tell<H extends { is: string }>(happening: H): void {
  process.send?.({ ...happening, from: workerName(), at: machineNow() });
}
