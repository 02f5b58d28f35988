import { accountHeader, accountRow } from '../account-row.ts';
import type { Books } from '../books.ts';
import type { WorkerProcess } from '../crew.ts';
import { judge } from '../judge.ts';
import type { Tally } from '../protocol.ts';
import type { Judged } from '../result.ts';
import type { Stage } from './stage.ts';

/** All processes at work, from its making to its end. */
export class Rush {
  readonly books: Books;
  private readonly startedAt = performance.now();

  constructor(
    private readonly stage: Stage,
    guarded: boolean,
  ) {
    this.books = stage.marketplace.openBooks();
    for (const process of stage.processes) process.work(guarded);
    stage.screen.watch(() => [accountHeader(), accountRow('calls now', this.books.openNow)]);
  }

  /** These processes finish their calls; then the books are read. */
  async end(processes: readonly WorkerProcess[]): Promise<{ judged: Judged; tallies: Tally[] }> {
    const { screen } = this.stage;
    const tallies = await Promise.all(processes.map((process) => process.rest()));
    const judged = judge(this.books, performance.now() - this.startedAt);
    screen.endWatch();
    screen.say(accountHeader(), accountRow('most at once', judged.mostAtOnce));
    return { judged, tallies };
  }
}
