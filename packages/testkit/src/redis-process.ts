/*
 * One real server process with a folder and a port of its own. It can be killed, frozen and restarted in place; it is
 * gone after `shutdown()`, and at the latest when the process that started it ends.
 */
import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClockShift } from './clock-shift.ts';
import { type Exit, exitOf, removeFolder } from './processes.ts';
import { type Arg, connectResp, type RespClient, type RespOptions } from './resp.ts';
import type { Reply } from './resp-parser.ts';
import type { ServerBinary } from './server-binary.ts';
import type { Place, ServerOptions } from './server-config.ts';
import { awaitAnswer, launch, type Readiness } from './server-launch.ts';
import type { Certificate } from './tls-cert.ts';

const GRACE_MS = 3_000;

export interface RestartOptions {
  /** Be done when the server answers PING (default), or at its first answer of any kind, also while it is loading. */
  until?: Readiness;
}

/** A server that is set up and can be run; `startServer` makes them. */
export class RedisProcess implements AsyncDisposable {
  readonly binary: ServerBinary;
  readonly options: ServerOptions;
  readonly #place: Place;
  readonly #clock: ClockShift | undefined;
  #child: ChildProcess | undefined;
  #exit: Promise<Exit> | undefined;
  #client: Promise<RespClient> | undefined;
  #open: RespClient | undefined;

  constructor(binary: ServerBinary, options: ServerOptions, place: Place, clock?: ClockShift) {
    this.binary = binary;
    this.options = options;
    this.#place = place;
    this.#clock = clock;
  }

  get port(): number {
    return this.#place.port;
  }

  get dir(): string {
    return this.#place.dir;
  }

  get socketPath(): string | undefined {
    return this.#place.socketPath;
  }

  get tls(): Certificate | undefined {
    return this.#place.tls;
  }

  /** For a client as the default user. */
  get url(): string {
    const { password } = this.options;
    const login = password === undefined ? '' : `:${encodeURIComponent(password)}@`;
    return `${this.tls ? 'rediss' : 'redis'}://${login}127.0.0.1:${this.port}`;
  }

  /** The running process. Throws if none runs. */
  get pid(): number {
    if (!this.running || !this.#child?.pid) throw new Error(`the server on port ${this.port} does not run`);
    return this.#child.pid;
  }

  get running(): boolean {
    const child = this.#child;
    return child?.pid !== undefined && child.exitCode === null && child.signalCode === null;
  }

  /** When the running process ends, and how. */
  get exited(): Promise<Exit> {
    return this.#exit ?? Promise.resolve({ code: null, signal: null });
  }

  /** Sends one command on the kit's own connection; error replies and silence (5 s) reject. */
  async command(...args: Arg[]): Promise<Reply> {
    return (await this.#connection()).command(...args);
  }

  /** Sends all in one write; error replies are values. */
  async pipeline(commands: Arg[][]): Promise<Reply[]> {
    return (await this.#connection()).pipeline(commands);
  }

  /** A further connection with every right, for the caller to close. */
  connect(options: RespOptions = {}): Promise<RespClient> {
    const { port, tls, admin } = this.#place;
    const { password } = this.options;
    const login = admin ?? (password === undefined ? {} : { password });
    return connectResp({ port, ...login, ...(tls && { ca: tls.ca }), ...options });
  }

  /** One connection, also for commands sent at the same time; a new one after it was lost. */
  #connection(): Promise<RespClient> {
    if (this.#open?.closed) this.#forget();
    this.#client ??= this.#reconnect();
    return this.#client;
  }

  /** Both, or a command sent during the next connect would see the lost connection and begin a third one. */
  #forget(): void {
    this.#open = undefined;
    this.#client = undefined;
  }

  async #reconnect(): Promise<RespClient> {
    try {
      this.#open = await this.connect();
      return this.#open;
    } catch (error) {
      this.#client = undefined;
      throw error;
    }
  }

  /** Runs the server until it answers. Called by `startServer`; by others only after `kill9`. */
  async start({ until = 'pong' }: RestartOptions = {}): Promise<void> {
    if (this.running) throw new Error(`the server on port ${this.port} runs already`);
    this.#child = launch(this.binary, this.options, this.#place, this.#clock);
    this.#exit = exitOf(this.#child);
    await awaitAnswer(this, until);
  }

  /** The same port, folder and options. A server that still runs is told to end first, and may save its data. */
  async restart(options: RestartOptions = {}): Promise<void> {
    await this.#end();
    await this.start(options);
  }

  /** As a crash: no signal handler runs, nothing is written. Resolves when the process is gone. */
  async kill9(): Promise<void> {
    this.#signal('SIGKILL');
    await this.#gone();
  }

  /** Freezes the process: connections stay open, nothing is answered. */
  stop(): void {
    this.#signal('SIGSTOP');
  }

  cont(): void {
    this.#signal('SIGCONT');
  }

  /**
   * Moves the server's wall clock to `ms` from the true time; its monotonic clock stays true. Resolves when the server
   * goes by it: Valkey 9.1 looks at the wall clock once per millisecond, the others each time.
   */
  async shiftClock(ms: number): Promise<void> {
    if (!this.#clock) throw new Error('this server was started without clockShift: true');
    this.#clock.shift(ms);
    await sleep(5);
  }

  /** Ends the process (SIGTERM, after 3 s SIGKILL) and removes its folder. May be called again. */
  async shutdown(): Promise<void> {
    await this.#end();
    removeFolder(this.dir);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.shutdown();
  }

  #signal(signal: NodeJS.Signals): void {
    if (this.running) this.#child?.kill(signal);
  }

  async #end(): Promise<void> {
    this.#signal('SIGTERM');
    this.#signal('SIGCONT');
    const timer = setTimeout(() => this.#signal('SIGKILL'), GRACE_MS);
    await this.#gone();
    clearTimeout(timer);
  }

  /** The child does not keep this process alive, except while somebody waits for its end. */
  async #gone(): Promise<void> {
    if (this.running) this.#child?.ref();
    await this.exited;
    const client = await this.#client?.catch(() => undefined);
    client?.close();
    this.#forget();
  }
}
