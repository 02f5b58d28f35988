/** What a semaphore is, in the simplest words: a list of leases and a list of waiters. No clock: leases end when told to. */

export interface ModelWaiter {
  readonly holder: string;
  readonly permits: number;
  readonly slotted: boolean;
  /** Which process's channel it listens on. */
  readonly ear: number;
}

export interface ModelLease {
  readonly holder: string;
  readonly permits: number;
  readonly slots: readonly number[];
}

export class SemaphoreModel {
  limit: number | undefined;
  leases: ModelLease[] = [];
  queue: ModelWaiter[] = [];
  readonly deaf = new Set<number>();
  /** Whoever was told its place comes back to it. */
  private readonly places = new Map<string, number>();
  private readonly current = new Map<string, number>();
  private lastPlace = 0;
  /** What processes were told since the last look: `holder slots` or `holder ask`. */
  told: string[] = [];

  get held(): number {
    return this.leases.reduce((sum, { permits }) => sum + permits, 0);
  }

  acquire(holder: string, permits: number, slotted: boolean, asked: number, waits?: ModelWaiter): string {
    const mine = this.leases.find((lease) => lease.holder === holder);
    if (mine !== undefined) {
      this.leave(holder);
      return `yours ${mine.slots}`;
    }
    const limit = this.limit ?? asked;
    if (permits > limit) {
      if (this.leave(holder)) this.serve();
      return 'too many';
    }
    const behind = this.queue.length > 0;
    const fits = () => this.held + permits <= limit;
    if (waits && (behind || !fits())) this.join(waits);
    if (behind) this.serve(holder);
    const first = this.queue[0];
    if (fits() && (first === undefined || first.holder === holder)) {
      this.leave(holder);
      this.limit = limit;
      return `granted ${this.take(holder, permits, slotted)}`;
    }
    if (!waits) return 'busy';
    this.places.set(holder, this.placeOf(waits));
    return `queued ${this.queue.findIndex((one) => one.holder === holder)}`;
  }

  release(holder: string): string {
    const held = this.leases.some((lease) => lease.holder === holder);
    this.end(holder);
    this.serve();
    return held ? 'released' : 'expired';
  }

  giveUp(holder: string): void {
    this.leave(holder);
    this.end(holder);
    this.serve();
  }

  renew(holder: string): string {
    return this.leases.some((lease) => lease.holder === holder) ? 'renewed' : 'expired';
  }

  end(holder: string): void {
    this.leases = this.leases.filter((lease) => lease.holder !== holder);
  }

  setLimit(limit: number): void {
    this.limit = limit;
    this.serve();
  }

  private join(waiter: ModelWaiter): void {
    if (this.queue.some(({ holder }) => holder === waiter.holder)) return;
    const place = this.places.get(waiter.holder) ?? ++this.lastPlace;
    this.current.set(waiter.holder, place);
    this.queue.push(waiter);
    this.queue.sort((a, b) => this.placeOf(a) - this.placeOf(b));
  }

  private placeOf({ holder }: ModelWaiter): number {
    return this.current.get(holder) ?? 0;
  }

  private leave(holder: string): boolean {
    const before = this.queue.length;
    this.queue = this.queue.filter((one) => one.holder !== holder);
    return this.queue.length < before;
  }

  private take(holder: string, permits: number, slotted: boolean): readonly number[] {
    const taken = new Set(this.leases.flatMap(({ slots }) => slots));
    const free = [...Array(60).keys()].filter((slot) => !taken.has(slot));
    const slots = slotted ? free.slice(0, permits) : [];
    this.leases.push({ holder, permits, slots });
    return slots;
  }

  /** Strict order; the asker, who certainly listens, takes its turn itself. */
  private serve(asker?: string): void {
    const limit = this.limit ?? 0;
    for (let first = this.queue[0]; first !== undefined; first = this.queue[0]) {
      const { holder, permits, slotted, ear } = first;
      if (holder === asker) return;
      const hears = !this.deaf.has(ear);
      if (hears && permits <= limit && this.held + permits > limit) return;
      this.queue.shift();
      if (hears && permits > limit) this.told.push(`${holder} ask`);
      else if (hears) this.told.push(`${holder} ${this.take(holder, permits, slotted)}`.trimEnd());
    }
  }
}
