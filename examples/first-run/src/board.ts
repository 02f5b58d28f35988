/* What can be seen at one moment: each worker's state, the stock, who has held the lock. */
import { NAMES } from './crew.ts';
import type { Report } from './protocol.ts';

export type Doing = 'starting' | 'ready' | 'selling' | 'waiting' | 'HOLDS' | 'stopped' | 'killed';

export interface Line {
  name: string;
  pid: number | undefined;
  doing: Doing;
  sold: number;
}

export class Board {
  readonly lines: Line[] = NAMES.map((name) => ({ name, pid: undefined, doing: 'starting', sold: 0 }));
  title = '';
  stock = 0;
  stockLeft: number | undefined;
  /** The holders, one letter for each hold. */
  holders = '';

  begin(title: string, stock?: number): void {
    this.title = title;
    this.stock = stock ?? 0;
    this.stockLeft = stock;
    this.holders = '';
    for (const line of this.lines) line.sold = 0;
  }

  line(name: string): Line {
    const line = this.lines.find((each) => each.name === name);
    if (!line) throw new Error(`there is no worker ${name}`);
    return line;
  }

  mark(name: string, doing: Doing): void {
    this.line(name).doing = doing;
  }

  see(report: Report): void {
    if (report.is === 'holds') this.seeHold(report.from);
    else if (report.is === 'sold') this.seeSale(report.from, report.stockLeft);
    else if (report.is === 'waiting') this.mark(report.from, 'waiting');
    else if (['ready', 'releases', 'released', 'done'].includes(report.is)) this.mark(report.from, 'ready');
  }

  /**
   * Reports of two processes can arrive in the wrong order, so a new holder ends the last one's line. Whether two really
   * held at once is counted from the times in their reports, not from here.
   */
  private seeHold(name: string): void {
    for (const line of this.lines) if (line.doing === 'HOLDS') line.doing = 'waiting';
    this.mark(name, 'HOLDS');
    this.holders += name;
  }

  private seeSale(name: string, stockLeft: number): void {
    const line = this.line(name);
    line.sold++;
    if (line.doing === 'ready') line.doing = 'selling';
    this.stockLeft = stockLeft;
  }
}
