/** What one worker counts, between the end of the warm-up and the end of the run. */
export class Tally {
  done = 0;
  /** How long each operation took, from its beginning until it was through. */
  readonly waitsMs: number[] = [];
  retries = 0;
  /** Purchases that somebody else was quicker with; the buyer picks another at once, and its wait goes on. */
  gone = 0;
  /** Given up at the time limit of one operation. */
  late = 0;
  private readonly from: number;
  readonly until: number;

  constructor(warmUpMs: number, runMs: number) {
    this.from = performance.now() + warmUpMs;
    this.until = this.from + runMs;
  }

  get running(): boolean {
    return performance.now() < this.until;
  }

  readonly retried = (): void => {
    if (this.counts) this.retries++;
  };

  missed(outcome: 'gone' | 'late'): void {
    if (this.counts) this[outcome]++;
  }

  /**
   * One operation is through. What ends after the run is not counted as done, but has waited at least until then: without it
   * the longest waits would be missing.
   */
  through(startedAt: number): void {
    if (this.counts) this.done++;
    this.waited(startedAt);
  }

  waited(startedAt: number): void {
    const now = performance.now();
    if (now >= this.from && startedAt < this.until) this.waitsMs.push(Math.min(now, this.until) - startedAt);
  }

  private get counts(): boolean {
    const now = performance.now();
    return now >= this.from && now < this.until;
  }
}
