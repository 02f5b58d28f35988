/** The worker processes of one run: started, killed and started anew, stopped and continued. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Exit, startWorker, type Worker } from '@holdfast/testkit';
import { clientsFor, type Place } from '../place.ts';
import { derived } from '../random.ts';
import type { WorkerSettings } from '../worker/settings.ts';

const SCRIPT = new URL('../worker/main.js', import.meta.url);
const START_MS = 30_000;
/** After everything of its is closed a process is gone within that. */
const EXIT_MS = 1_000;

/** A control that was killed stays away: others shall be seen to wait for what it held. */
const UNRULY_AWAY_MS = 1_000;

/** What all workers have in common. */
export type Contest = Omit<WorkerSettings, 'place' | 'client' | 'file' | 'resource' | 'seed'>;

export interface CrewOptions {
  readonly contest: Contest;
  readonly workers: number;
  readonly placeOf: (worker: number) => Place;
  readonly folder: string;
  readonly resource: string;
  readonly seed: number;
  readonly env?: (worker: number) => Record<string, string>;
  /** A control may leave its process hanging: it is killed at the end. */
  readonly unruly: boolean;
}

export class Crew implements AsyncDisposable {
  readonly files: string[] = [];
  /** What its processes did that they had not been told to. */
  readonly faults: string[] = [];
  readonly #options: CrewOptions;
  readonly #workers: Worker[] = [];
  readonly #starting = new Set<Promise<void>>();
  readonly #stopped = new Set<Worker>();
  readonly #dead = new Set<Worker>();
  #ending = false;

  constructor(options: CrewOptions) {
    this.#options = options;
  }

  static async start(options: CrewOptions): Promise<Crew> {
    const crew = new Crew(options);
    await Promise.all(Array.from({ length: options.workers }, (_, index) => crew.#launch(index)));
    for (const worker of crew.#workers) worker.send('go');
    return crew;
  }

  /** Those that run, by their index. */
  get running(): readonly { readonly index: number; readonly pid: number }[] {
    return this.#workers.flatMap((worker, index) =>
      worker.running && !this.#stopped.has(worker) ? [{ index, pid: worker.pid }] : [],
    );
  }

  /** Another process takes its place. Resolves when it is gone; `false` where it was not there any more. */
  async kill(pid: number): Promise<boolean> {
    const index = this.#indexOf(pid);
    const worker = this.#workers[index];
    if (worker === undefined || this.#ending) return false;
    this.#dead.add(worker);
    await worker.kill9();
    this.#relaunch(index);
    return true;
  }

  /** Freezes it for so long. */
  async stop(pid: number, forMs: number): Promise<boolean> {
    const worker = this.#workers[this.#indexOf(pid)];
    if (worker === undefined || this.#ending) return false;
    this.#stopped.add(worker);
    worker.stop();
    await sleep(forMs);
    worker.cont();
    this.#stopped.delete(worker);
    return true;
  }

  /** Lets its processes end by themselves. */
  async end(): Promise<void> {
    this.#ending = true;
    await Promise.all(this.#starting);
    await Promise.all(this.#workers.map((worker) => this.#end(worker)));
  }

  async #end(worker: Worker): Promise<void> {
    if (this.#options.unruly) return void (await worker.kill9());
    if (worker.running) worker.send('end');
    const exit = await Promise.race([worker.exited, sleep(this.#patienceMs, undefined, { ref: false })]);
    if (exit === undefined) this.faults.push(`a process did not end by itself: ${worker.stderr}`);
    else if (exit.code !== 0 || worker.stderr !== '') this.faults.push(ended(exit, worker.stderr));
    await worker.kill9();
  }

  /** Every lane may be waiting, at the time. */
  get #patienceMs(): number {
    return this.#options.contest.waitMs + 5_000 + EXIT_MS;
  }

  #indexOf(pid: number): number {
    return this.#workers.findIndex(
      (worker) =>
        worker.running && worker.pid === pid && !this.#stopped.has(worker) && !this.#dead.has(worker),
    );
  }

  #relaunch(index: number): void {
    const pauseMs = this.#options.unruly ? UNRULY_AWAY_MS : 0;
    const starting = sleep(pauseMs)
      .then(() => this.#launch(index))
      .then(() => this.#workers[index]?.send('go'))
      .catch((error) => void this.faults.push(`a process could not be started again: ${error}`))
      .finally(() => this.#starting.delete(starting));
    this.#starting.add(starting);
  }

  async #launch(index: number): Promise<void> {
    const { contest, placeOf, folder, resource, seed, env } = this.#options;
    const place = placeOf(index);
    const clients = clientsFor(place, contest.minReplicas);
    const file = join(folder, `worker-${this.files.length}.jsonl`);
    const client = clients[index % clients.length];
    const own = { place, client, file, resource, seed: derived(seed, this.files.length) };
    this.files.push(file);
    const worker = startWorker(SCRIPT, {
      args: [JSON.stringify({ ...contest, ...own })],
      ...(env && { env: env(index) }),
    });
    this.#workers[index] = worker;
    worker.exited.then((exit) => this.#left(worker, exit));
    await worker
      .waitFor((message) => message === 'ready', START_MS)
      .catch((error: Error) => {
        throw new Error(`a process with ${client} did not get ready: ${error.message}`, { cause: error });
      });
  }

  /** Some controls kill themselves: others take their places. */
  #left(worker: Worker, exit: Exit): void {
    if (this.#ending || this.#dead.has(worker)) return;
    this.#dead.add(worker);
    const index = this.#workers.indexOf(worker);
    if (this.#options.unruly) this.#relaunch(index);
    else this.faults.push(ended(exit, worker.stderr));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending = true;
    await Promise.all(this.#workers.map((worker) => worker.kill9()));
  }
}

const ended = ({ code, signal }: Exit, stderr: string): string =>
  `a process ended with ${signal ?? code}: ${stderr}`;
