/* What the database saw from one change of the limit to the next. Queries are known by their permits' fencing tokens. */
import { machineNow } from '@holdfast/example-common';

export class Phase {
  readonly limit: number;
  readonly beganAt = machineNow();
  /** When each query began, in order. */
  readonly begins: number[] = [];
  /** The most queries at once. */
  max: number;
  /** The same, since no more than `limit` of those that held a permit before are left. */
  maxAfterReached = 0;
  reachedAt: number | undefined;
  /** When the first query began whose permit is newer than the change, and how many of those before had ended by then. */
  admittedAt: number | undefined;
  endedBefore = 0;
  /** How many held a permit right after the change. */
  holders = 0;
  /** Queries with a newer permit that began above the limit: none may. */
  tooMany = 0;
  private before: Set<number> | undefined;

  constructor(limit: number, running: number) {
    this.limit = limit;
    this.max = running;
  }

  /** @param tokens of those that held a permit right after the change, and whose queries have not ended */
  know(tokens: Set<number>, holders: number, running: number): void {
    this.before = tokens;
    this.holders = holders;
    this.look(running);
  }

  begun(token: number, running: number): void {
    this.begins.push(machineNow());
    this.max = Math.max(this.max, running);
    if (this.before && !this.before.has(token)) this.admitted(running, this.before.size);
    if (this.reachedAt !== undefined) this.maxAfterReached = Math.max(this.maxAfterReached, running);
  }

  ended(token: number, running: number): void {
    this.before?.delete(token);
    this.look(running);
  }

  private admitted(running: number, stillThere: number): void {
    if (running > this.limit) this.tooMany++;
    if (this.admittedAt !== undefined) return;
    this.admittedAt = machineNow();
    this.endedBefore = this.holders - stillThere;
  }

  /** One that was granted before, but whose query is still on its way, counts as well. */
  private look(running: number): void {
    if (this.reachedAt !== undefined || !this.before) return;
    if (running <= this.limit && this.before.size <= this.limit) this.reachedAt = machineNow();
  }
}
