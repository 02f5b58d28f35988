/** What a read-write lock is, in the simplest words: a list of leases and a list of waiters. No clock: leases end when told to. */
import type { ReadWriteMode } from '../../../src/store/store.ts';

/** What a waiter wants: to get in, or that a lease becomes the writer. */
type Wants = ReadWriteMode | { readonly holder: string; readonly number: number };

interface ModelTurn {
  readonly id: string;
  readonly wants: Wants;
  /** Which process's channel it listens on. */
  readonly ear: number;
}

interface ModelLease {
  readonly holder: string;
  mode: ReadWriteMode;
  /** The last attempt to upgrade; a half more when it is over. */
  last: number;
  /** Which of all upgrades was its last. */
  upgrades: number;
}

export class ReadWriteModel {
  leases: ModelLease[] = [];
  queue: ModelTurn[] = [];
  readonly deaf = new Set<number>();
  /** What processes were told since the last look: `id` or `id ask`. */
  told: string[] = [];
  /** Whoever was told its place comes back to it. */
  private readonly places = new Map<string, number>();
  private readonly current = new Map<string, number>();
  private lastPlace = 0;
  private upgrades = 0;

  acquire(id: string, mode: ReadWriteMode, ear: number | undefined): string {
    if (this.lease(id) !== undefined) {
      this.leave(id);
      return 'yours';
    }
    const behind = this.queue.length > 0;
    if (ear !== undefined && (behind || !this.fits(mode)))
      this.join({ id, wants: mode, ear }, this.places.get(id) ?? this.lastPlace + 1);
    if (behind) this.serve(id);
    const first = this.queue[0];
    if (this.fits(mode) && (first === undefined || first.id === id)) {
      this.leave(id);
      this.take(id, mode);
      return 'granted';
    }
    if (ear === undefined) return 'busy';
    this.places.set(id, this.current.get(id) ?? 0);
    return `queued ${this.queue.findIndex((one) => one.id === id)}`;
  }

  upgrade(id: string, holder: string, number: number, ear: number | undefined): string {
    const lease = this.upgradeable(holder, number);
    if (lease === undefined) {
      this.leave(id);
      if (ear !== undefined) this.serve();
      return 'gone';
    }
    if (this.possible({ holder, number })) {
      this.leave(id);
      if (lease.mode === 'write' && lease.last === number) return 'yours';
      this.write(lease, number);
      return 'granted';
    }
    if (ear === undefined) return 'busy';
    this.join({ id, wants: { holder, number }, ear }, -1);
    return 'queued 0';
  }

  /** @param upgrades which of the lease's upgrades; `undefined`: whichever, and that attempt is over */
  takeBack(id: string, holder: string, number: number, upgrades: number | undefined): string {
    this.leave(id);
    const lease = this.lease(holder);
    if (lease !== undefined) {
      const its = lease.mode === 'write' && lease.last === number;
      if (its && (upgrades === undefined || upgrades === lease.upgrades)) lease.mode = 'upgradeable';
      if (upgrades === undefined && number >= lease.last) lease.last = number + 0.5;
    }
    this.serve();
    return lease === undefined ? 'expired' : 'released';
  }

  downgrade(holder: string): string {
    const lease = this.lease(holder);
    if (lease !== undefined) lease.mode = 'read';
    this.serve();
    return lease === undefined ? 'gone' : 'done';
  }

  release(holder: string): string {
    const held = this.lease(holder) !== undefined;
    this.leave(holder);
    this.end(holder);
    this.serve();
    return held ? 'released' : 'expired';
  }

  renew(holder: string): string {
    return this.lease(holder) === undefined ? 'expired' : 'renewed';
  }

  end(holder: string): void {
    this.leases = this.leases.filter((lease) => lease.holder !== holder);
  }

  lease(holder: string): ModelLease | undefined {
    return this.leases.find((lease) => lease.holder === holder);
  }

  private fits(mode: ReadWriteMode): boolean {
    if (mode === 'write') return this.leases.length === 0;
    const has = (one: ReadWriteMode) => this.leases.some((lease) => lease.mode === one);
    return !has('write') && (mode === 'read' || !has('upgradeable'));
  }

  private upgradeable(holder: string, number: number): ModelLease | undefined {
    const lease = this.lease(holder);
    return lease?.mode === 'read' || number < (lease?.last ?? 0) ? undefined : lease;
  }

  private possible(wants: Wants): boolean | undefined {
    if (typeof wants === 'string') return this.fits(wants);
    const lease = this.upgradeable(wants.holder, wants.number);
    return lease && this.leases.length === 1;
  }

  private take(holder: string, mode: ReadWriteMode): void {
    this.leases.push({ holder, mode, last: 0, upgrades: 0 });
  }

  private write(lease: ModelLease, number: number): void {
    lease.mode = 'write';
    lease.last = number;
    lease.upgrades = ++this.upgrades;
  }

  private join(turn: ModelTurn, place: number): void {
    if (this.queue.some(({ id }) => id === turn.id)) return;
    this.lastPlace = Math.max(this.lastPlace, place);
    this.current.set(turn.id, place);
    this.queue.push(turn);
    this.queue.sort((a, b) => (this.current.get(a.id) ?? 0) - (this.current.get(b.id) ?? 0));
  }

  private leave(id: string): void {
    this.queue = this.queue.filter((one) => one.id !== id);
  }

  /** Strict order; the asker, who certainly listens, takes its turn itself. */
  private serve(asker?: string): void {
    for (let first = this.queue[0]; first !== undefined; first = this.queue[0]) {
      const { id, wants, ear } = first;
      if (id === asker) return;
      const hears = !this.deaf.has(ear);
      const possible = this.possible(wants);
      if (hears && possible === false) return;
      this.queue.shift();
      if (!hears) continue;
      this.told.push(possible ? id : `${id} ask`);
      if (possible && typeof wants === 'string') this.take(id, wants);
      if (possible && typeof wants !== 'string')
        this.write(this.lease(wants.holder) as ModelLease, wants.number);
    }
  }
}
