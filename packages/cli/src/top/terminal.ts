/** The whole screen of a terminal, given back as it was whatever happens. */
import type { Size } from './screen.ts';

const ENTER = '\u001b[?1049h\u001b[?25l';
const LEAVE = '\u001b[?25h\u001b[?1049l';
const HOME = '\u001b[H';
const CLEAR_REST = '\u001b[K';

const SIGNALS = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const;

export class Terminal implements Disposable {
  readonly #leave = () => void process.stdout.write(LEAVE);

  constructor() {
    process.stdout.write(ENTER);
    process.once('exit', this.#leave);
    process.stdin.setRawMode(true);
    process.stdin.setEncoding('utf8');
    process.stdin.resume();
  }

  get size(): Size {
    return { columns: process.stdout.columns || 80, rows: process.stdout.rows || 24 };
  }

  /** Line over line, so that nothing flickers. */
  draw(lines: readonly string[]): void {
    process.stdout.write(HOME + lines.map((line) => line + CLEAR_REST).join('\r\n'));
  }

  onKeys(heard: (chunk: string) => void): void {
    process.stdin.on('data', heard);
  }

  onResize(resized: () => void): void {
    process.stdout.on('resize', resized);
  }

  onEnd(ended: () => void): void {
    for (const signal of SIGNALS) process.once(signal, ended);
    process.stdin.once('end', ended);
  }

  [Symbol.dispose](): void {
    process.stdin.setRawMode(false);
    process.stdin.pause();
    process.off('exit', this.#leave);
    this.#leave();
  }
}
