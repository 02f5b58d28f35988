/* Real processes that run a script of the tests and talk over IPC; to be killed and frozen like any other. */
import { type ChildProcess, fork, type Serializable } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Inbox } from './inbox.ts';
import { dyingWithParent, type Exit, exitOf, track } from './processes.ts';

export interface WorkerOptions {
  /** Added to this process's environment. */
  env?: Record<string, string>;
  args?: string[];
  /** Arguments for node itself: `['--expose-gc']`. */
  execArgv?: string[];
  /** Another node. Default: this one. */
  execPath?: string;
}

/** Starts a node process on a script (JavaScript, by path or URL). What it does at once: `waitFor` a message of its. */
export function startWorker(script: string | URL, options: WorkerOptions = {}): Worker {
  const path = script instanceof URL || script.startsWith('file:') ? fileURLToPath(script) : script;
  const { env, args = [], execArgv = [], execPath = process.execPath } = options;
  const node = dyingWithParent({ command: execPath, args: execArgv });
  const child = fork(path, args, {
    execPath: node.command,
    execArgv: node.args,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  track(child);
  return new Worker(child);
}

class Worker implements AsyncDisposable {
  readonly #child: ChildProcess;
  /** When the process ends, and how. */
  readonly exited: Promise<Exit>;
  /** The messages nobody has taken yet; iterating takes them in their order and ends with the process. */
  readonly messages = new Inbox<unknown>();
  /** What it has written so far. */
  stdout = '';
  stderr = '';

  constructor(child: ChildProcess) {
    this.#child = child;
    this.exited = exitOf(child);
    child.on('message', (message) => this.messages.put(message));
    child.stdout?.setEncoding('utf8').on('data', (text) => (this.stdout += text));
    child.stderr?.setEncoding('utf8').on('data', (text) => (this.stderr += text));
    child.on('error', (error) => this.messages.close(error));
    child.on('close', (code, signal) => this.messages.close(this.#ended({ code, signal })));
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error('the worker could not be started');
    return this.#child.pid;
  }

  get running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  send(message: Serializable): void {
    this.#child.send(message);
  }

  /** Takes the first message, of those not taken yet and those to come, that the predicate wants. */
  waitFor<T = unknown>(wants: (message: T) => boolean, withinMs = 10_000): Promise<T> {
    return this.messages.take((message) => wants(message as T), withinMs) as Promise<T>;
  }

  /** Resolves when the process is gone. */
  async kill9(): Promise<Exit> {
    if (this.running) this.#child.kill('SIGKILL');
    return this.exited;
  }

  /** Freezes the process. */
  stop(): void {
    this.#child.kill('SIGSTOP');
  }

  cont(): void {
    this.#child.kill('SIGCONT');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill9();
  }

  #ended({ code, signal }: Exit): Error {
    const how = signal ? `by ${signal}` : `with code ${code}`;
    return new Error(`the worker ended ${how}; it wrote: ${this.stderr.slice(-500)}`);
  }
}

export type { Worker };
