/** How far a run is, on stderr: a bar that is redrawn on a terminal, else a line for each part. */

const BAR = 24;
const CLEAR_LINE = '\r\x1b[K';
/** Often enough to look alive. */
const FRAME_MS = 80;

export class Progress {
  private readonly live = process.stderr.isTTY === true && process.env.TERM !== 'dumb';
  private done = 0;
  private what = '';
  private drawnAt = 0;

  constructor(private readonly parts: number) {}

  /** The next part begins. */
  begin(what: string): void {
    this.what = what;
    if (this.live) this.draw(0);
    else process.stderr.write(`${this.done + 1}/${this.parts} ${what}\n`);
  }

  /** @param share of the part, from 0 to 1 */
  at(share: number, detail = ''): void {
    if (this.live && performance.now() - this.drawnAt >= FRAME_MS) this.draw(Math.min(1, share), detail);
  }

  end(): void {
    this.done++;
    this.clear();
  }

  /** The line is free for something else. */
  clear(): void {
    if (this.live) process.stderr.write(CLEAR_LINE);
  }

  private draw(share: number, detail = ''): void {
    this.drawnAt = performance.now();
    const part = (this.done + share) / this.parts;
    const full = Math.round(part * BAR);
    const bar = `${'█'.repeat(full)}${'░'.repeat(BAR - full)}`;
    const line = `${bar} ${String(Math.floor(part * 100)).padStart(3)} %  ${this.what}${detail && `, ${detail}`}`;
    // A line that wraps could not be cleared.
    process.stderr.write(CLEAR_LINE + line.slice(0, (process.stderr.columns ?? 80) - 1));
  }
}
