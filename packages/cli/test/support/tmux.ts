/** A terminal as a user has it. */
import { execFileSync } from 'node:child_process';
import { eventually } from '../../../testkit/src/index.ts';
import { PROGRAM } from './cli.ts';

/** Says loudly what is not run without it. */
export function hasTmux(what: string): boolean {
  try {
    execFileSync('tmux', ['-V']);
    return true;
  } catch {
    console.warn(`\nNOT RUN: ${what}: there is no tmux (apt-get install tmux)\n`);
    return false;
  }
}

export class Terminal {
  readonly #socket: string;

  constructor(name: string) {
    this.#socket = `holdfast-${name}-${process.pid}`;
    this.#tmux('-f', '/dev/null', 'new-session', '-d', '-s', 'main', '-x', '160', '-y', '24', 'sh');
  }

  /** Its exit code stands behind it as `ended with N`. */
  holdfast(url: string, words: string): void {
    // What an earlier one has printed is no answer of this one; `clear` would come too late for a look at once.
    this.#tmux('send-keys', '-R', '-t', 'main');
    const program = `REDIS_URL=${url} ${process.execPath} ${PROGRAM} ${words}`;
    this.type(`${program}; echo "ended with $?"`, 'Enter');
  }

  type(...keys: string[]): void {
    this.#tmux('send-keys', '-t', 'main', ...keys);
  }

  get text(): string {
    return this.#tmux('capture-pane', '-p', '-t', 'main');
  }

  shows(pattern: RegExp): Promise<unknown> {
    return eventually(() => pattern.test(this.text), { what: `${pattern} on the screen`, withinMs: 20_000 });
  }

  shut(): void {
    this.#tmux('kill-server');
  }

  #tmux(...args: string[]): string {
    return execFileSync('tmux', ['-L', this.#socket, ...args], { encoding: 'utf8' });
  }
}
