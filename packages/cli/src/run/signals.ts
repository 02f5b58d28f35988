/** The signals that holdfast gets: while it waits they end the wait, afterwards they go to the command. */
import { note } from '../say/report.ts';

/** A terminal sends these to everybody in front of it; the command is in a session of its own, so we pass them on to all of it. */
const ENDING = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const;
/** Meant for the command itself: whoever else is in its group may not know them, and would die. */
const TELLING = ['SIGUSR1', 'SIGUSR2', 'SIGWINCH'] as const;

export interface SignalTarget {
  toGroup(signal: NodeJS.Signals): void;
  toCommand(signal: NodeJS.Signals): void;
}

export class Signals implements Disposable {
  /** The one that ended the wait. */
  ended: NodeJS.Signals | undefined;
  readonly #wait = new AbortController();
  #target: SignalTarget | undefined;

  constructor() {
    for (const signal of ENDING) process.on(signal, this.#onEnding);
    for (const signal of TELLING) process.on(signal, this.#onTelling);
    // Stopped, we would not renew, and the command would run on without the lock.
    process.on('SIGTSTP', this.#onStop);
  }

  /** Aborted by a signal that comes before there is a command. */
  get wait(): AbortSignal {
    return this.#wait.signal;
  }

  forwardTo(target: SignalTarget): void {
    this.#target = target;
  }

  [Symbol.dispose](): void {
    for (const signal of ENDING) process.off(signal, this.#onEnding);
    for (const signal of TELLING) process.off(signal, this.#onTelling);
    process.off('SIGTSTP', this.#onStop);
  }

  readonly #onEnding = (signal: NodeJS.Signals): void => {
    if (this.#target !== undefined) this.#target.toGroup(signal);
    else {
      this.ended ??= signal;
      this.#wait.abort();
    }
  };

  readonly #onTelling = (signal: NodeJS.Signals): void => this.#target?.toCommand(signal);

  readonly #onStop = (): void =>
    note('not stopped: a stopped holdfast loses the lock while its command runs on');
}
