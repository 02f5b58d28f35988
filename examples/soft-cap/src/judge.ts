/* How many queries ran at once, as the database saw it: it knows nothing of Redis or permits but the tokens. */
import { Phase } from './phase.ts';

export class Judge {
  /** Queries whose sender hung up before the answer. */
  interrupted = 0;
  private readonly running = new Set<number>();
  private readonly finished = new Set<number>();
  private phase = new Phase(0, 0);

  get count(): number {
    return this.running.size;
  }

  get total(): number {
    return this.running.size + this.finished.size;
  }

  /** From here on, whoever had a permit before. `phase.know` tells who that was. */
  beginPhase(limit: number): Phase {
    this.phase = new Phase(limit, this.count);
    return this.phase;
  }

  /** @param tokens of all who held a permit right after the limit of this phase had been set */
  know(tokens: readonly number[]): void {
    const unfinished = tokens.filter((token) => !this.finished.has(token));
    this.phase.know(new Set(unfinished), tokens.length, this.count);
  }

  begin(token: number): void {
    this.running.add(token);
    this.phase.begun(token, this.count);
  }

  end(token: number): void {
    this.running.delete(token);
    this.finished.add(token);
    this.phase.ended(token, this.count);
  }
}
