/** The command that runs under the lock: a process group of its own, with our input and output. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { EXIT } from '../say/exit.ts';
import { Failure } from '../say/failure.ts';
import type { SignalTarget } from './signals.ts';

const LOOK_MS = 20;
/** What SIGKILL leaves behind is gone at once, unless it hangs in the kernel. */
const BURIED_MS = 2_000;

export class Command implements SignalTarget {
  /** Its exit code, or 128 and the number of the signal that ended it. */
  readonly ended: Promise<number>;
  readonly pid: number;
  readonly #child: ChildProcess;

  /** Resolves when it runs; `born` is called in the turn in which it starts. Rejects with 127 when there is no such command, with 126 when it cannot be run. */
  static async start(
    words: readonly string[],
    env: NodeJS.ProcessEnv,
    born: (pid: number) => void,
  ): Promise<Command> {
    const [file = '', ...args] = words;
    const child = spawn(file, args, { stdio: 'inherit', detached: true, env });
    if (child.pid !== undefined) born(child.pid);
    const ended = once(child, 'exit');
    ended.catch(() => {});
    try {
      await once(child, 'spawn');
    } catch (error) {
      throw cannotRun(file, error as NodeJS.ErrnoException);
    }
    return new Command(child, ended);
  }

  private constructor(child: ChildProcess, ended: Promise<unknown[]>) {
    this.#child = child;
    this.pid = child.pid ?? 0;
    this.ended = ended.then(([code, signal]) =>
      typeof code === 'number' ? code : EXIT.signal + signalNumber(String(signal)),
    );
  }

  toGroup(signal: NodeJS.Signals): void {
    this.#kill(-this.pid, signal);
  }

  toCommand(signal: NodeJS.Signals): void {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#kill(this.pid, signal);
  }

  /** SIGTERM to all of its group, SIGKILL to what is left after `killAfterMs`. Resolves when nothing is left. */
  async end(killAfterMs: number): Promise<void> {
    this.toGroup('SIGTERM');
    this.toGroup('SIGCONT'); // a stopped one could not hear it
    if (await this.#gone(killAfterMs)) return;
    this.toGroup('SIGKILL');
    await this.#gone(BURIED_MS);
  }

  async #gone(withinMs: number): Promise<boolean> {
    const until = performance.now() + withinMs;
    while (this.#kill(-this.pid, 0)) {
      if (performance.now() >= until) return false;
      await sleep(LOOK_MS);
    }
    return true;
  }

  /** False when there is nobody. */
  #kill(pid: number, signal: NodeJS.Signals | 0): boolean {
    try {
      return process.kill(pid, signal);
    } catch (error) {
      // EPERM: there is somebody who has become another user.
      return (error as NodeJS.ErrnoException).code === 'EPERM';
    }
  }
}

export function signalNumber(signal: string): number {
  return constants.signals[signal as NodeJS.Signals] ?? 0;
}

function cannotRun(file: string, { code, message }: NodeJS.ErrnoException): Failure {
  if (code === 'ENOENT') return new Failure(`${file}: command not found`, EXIT.notFound);
  const why = code === 'EACCES' ? 'it may not be executed (permission denied)' : message;
  return new Failure(`${file}: ${why}`, EXIT.cannotRun);
}
