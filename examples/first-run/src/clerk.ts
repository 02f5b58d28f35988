/* One worker's work, the same in a process of its own and as a task in memory. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Holdfast } from 'holdfast';
import type { Happening, Order, Round } from './protocol.ts';
import type { Shop } from './shop.ts';

/** Short, so that a dead holder is not waited for long. A live one renews its lease in the background. */
export const TTL_MS = 1_500;
const WAIT_MS = 15_000;
const THINK_MS = { least: 2, most: 5 };

export interface Desk {
  name: string;
  holdfast: Holdfast;
  shop: Shop;
  /** Resolves when the report is on its way. */
  tell(happening: Happening): Promise<void>;
}

export class Clerk {
  private readonly desk: Desk;
  /** Whether the last acquire was served by a release, and not by a free lock. */
  private handedOff = false;

  constructor(desk: Desk) {
    this.desk = desk;
    desk.holdfast.on('acquired', (event) => {
      this.handedOff = event.handedOff;
    });
  }

  async follow(order: Order): Promise<void> {
    if (order.do === 'sell') await this.sell(order.round);
    else if (order.do === 'hold') await this.hold(order.forMs);
    else await this.write(order.busyMs);
    await this.desk.tell({ is: 'done' });
  }

  private async sell(round: Round): Promise<void> {
    const sellNext = round === 'with-lock' ? this.sellAlone : this.sellOne;
    while (await sellNext.call(this, round));
  }

  /** A sale as one might write it at first: read, think, write back. Says whether there was anything to sell. */
  private async sellOne(round: Round): Promise<boolean> {
    const { shop, name, tell } = this.desk;
    const stock = await shop.readStock(round);
    if (stock <= 0) return false;
    await sleep(THINK_MS.least + Math.random() * (THINK_MS.most - THINK_MS.least));
    await shop.writeStock(round, stock - 1);
    await shop.recordSale(round, name);
    void tell({ is: 'sold', stockLeft: stock - 1 });
    return true;
  }

  /** The same sale, with the lock around it. */
  private async sellAlone(round: Round): Promise<boolean> {
    const { holdfast, tell } = this.desk;
    const lock = holdfast.lock('stock', { ttlMs: TTL_MS, waitMs: WAIT_MS });
    void tell({ is: 'waiting' });
    return lock.use(async (lease) => {
      const { fencingToken: token } = lease;
      void tell({ is: 'holds', token, handedOff: this.handedOff, leftMs: lease.remainingMs() });
      const sold = await this.sellOne(round);
      void tell({ is: 'releases', token });
      return sold;
    });
  }

  private async hold(forMs: number): Promise<void> {
    const { holdfast, tell } = this.desk;
    const lock = holdfast.lock('desk', { ttlMs: TTL_MS, waitMs: WAIT_MS });
    void tell({ is: 'waiting' });
    await lock.use(async (lease) => {
      const { fencingToken: token } = lease;
      void tell({ is: 'holds', token, handedOff: this.handedOff, leftMs: lease.remainingMs() });
      await sleep(forMs);
      void tell({ is: 'releases', token });
    });
  }

  /** Sends its token along with the write. What it does not do is look at the lease again right before it. */
  private async write(busyMs: number): Promise<void> {
    const { holdfast, shop, name, tell } = this.desk;
    const lock = holdfast.lock('till', { ttlMs: TTL_MS, waitMs: WAIT_MS });
    void tell({ is: 'waiting' });
    const lease = await lock.acquire();
    const { fencingToken: token } = lease;
    await tell({ is: 'holds', token, handedOff: this.handedOff, leftMs: lease.remainingMs() });
    blockThread(busyMs);
    const { accepted, highest } = await shop.writeToTill(token, name);
    void tell({ is: 'wrote', token, accepted, highest, lost: lease.lost?.reason });
    void tell({ is: 'released', outcome: await lease.release() });
  }
}

/** As a long computation, or a pause of the whole machine: no timer fires meanwhile, and no signal handler runs. */
function blockThread(ms: number): void {
  if (ms > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
