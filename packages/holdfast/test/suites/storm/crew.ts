/** The processes of a storm: they do several rounds at a time together, and are killed and stopped in the middle of them. */
import { join } from 'node:path';
import { eventually, startWorker, type Worker } from '../../../../testkit/src/index.ts';
import type { ContenderPlan, RoundPlan } from './plan.ts';
import type { FencedResource, Shown } from './resource.ts';

const SCRIPT = new URL('../../behaviour/workers/storm.mjs', import.meta.url);
/** One process is an hour ahead, one as much behind. */
const CLOCKS_OFF_MS = [3_600_000, -3_600_000];
/** No round lasts that long: whoever waits has given up by then, and said so. */
const ROUND_MS = 30_000;
const START_MS = 60_000;

export interface CrewOptions {
  /** One process for each, by the title of its client in `clients.ts`. */
  readonly titles: readonly string[];
  readonly ports: readonly number[];
  /** For the histories. */
  readonly folder: string;
  readonly limit: number;
  readonly ttlMs: number;
  readonly waitMs: number;
  /** Not the library's semaphore but one that goes by the clients' wall clocks. */
  readonly clientClock: boolean;
}

interface Entry extends Shown {
  readonly n: number;
  readonly round: number;
  readonly done?: undefined;
}

interface Round {
  readonly plan: RoundPlan;
  entered: number;
  /** By process: called when its contenders have ended. */
  readonly ended: (() => void)[];
}

interface Task {
  readonly round: number;
  readonly name: string;
  readonly plans: readonly ContenderPlan[];
}

export class Crew implements AsyncDisposable {
  readonly files: string[] = [];
  /** What its processes did that they had not been told to. */
  readonly faults: string[] = [];
  readonly inflicted = { kill: 0, stop: 0 };
  readonly #options: CrewOptions;
  readonly #resource: FencedResource;
  readonly #workers: Worker[] = [];
  readonly #ready: Promise<unknown>[] = [];
  readonly #rounds = new Map<number, Round>();
  readonly #stopped = new Set<Worker>();

  constructor(options: CrewOptions, resource: FencedResource) {
    this.#options = options;
    this.#resource = resource;
    for (const index of options.titles.keys()) this.#start(index);
  }

  /** Resolves when every contender has ended, or died. */
  async run(name: string, plan: RoundPlan): Promise<void> {
    await this.#allReady();
    const { round } = plan;
    const running: Round = { plan, entered: 0, ended: [] };
    this.#rounds.set(round, running);
    const tasks = plan.contenders.map((plans) => ({ round, name, plans }));
    await Promise.all(tasks.map((task, index) => this.#contend(running, index, task)));
    this.#rounds.delete(round);
  }

  /** Lets its processes end by themselves. */
  async end(): Promise<void> {
    await this.#allReady();
    for (const worker of this.#workers) if (worker.running) worker.send('end');
    for (const worker of this.#workers) {
      await eventually(() => !worker.running, { withinMs: 10_000, what: 'a process ends by itself' });
      const { code } = await worker.exited;
      if (code !== 0 || worker.stderr !== '') this.faults.push(`ended with ${code}: ${worker.stderr}`);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.kill9()));
  }

  /** Another one may be killed while this waits. */
  async #allReady(): Promise<void> {
    for (
      let seen: Promise<unknown>[] = [];
      seen.some((one, i) => one !== this.#ready[i]) || seen.length === 0;
    ) {
      seen = [...this.#ready];
      await Promise.all(seen);
    }
  }

  #start(index: number): void {
    const { titles, folder, ...settings } = this.#options;
    const file = join(folder, `${this.files.length}.jsonl`);
    const args = [JSON.stringify({ ...settings, title: titles[index], file })];
    const env = { CLOCK_OFF_MS: String(CLOCKS_OFF_MS[index] ?? 0) };
    const worker = startWorker(SCRIPT, { args, env });
    this.files.push(file);
    this.#workers[index] = worker;
    this.#ready[index] = worker
      .waitFor((message) => message === 'ready', START_MS)
      .then(() => void this.#hear(worker, index));
  }

  #contend({ ended }: Round, index: number, task: Task): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.faults.push(`round ${task.round} in ${task.name} did not end`);
        resolve();
      }, ROUND_MS);
      ended[index] = () => {
        clearTimeout(timer);
        resolve();
      };
      this.#workers[index]?.send(task as never);
    });
  }

  async #hear(worker: Worker, index: number): Promise<void> {
    for await (const message of worker.messages as AsyncIterable<Entry | { readonly done: number }>) {
      if (message.done === undefined) this.#shown(worker, index, message);
      else this.#rounds.get(message.done)?.ended[index]?.();
    }
    for (const { ended } of this.#rounds.values()) if (worker === this.#workers[index]) ended[index]?.();
  }

  #shown(worker: Worker, index: number, entry: Entry): void {
    this.#resource.take(entry);
    const round = this.#rounds.get(entry.round);
    if (entry.what === 'enter' && round !== undefined && ++round.entered === round.plan.faultAt)
      this.#inflict(worker, index, round.plan);
    // Whoever is stopped reads it later, and then still believes that he holds.
    if (worker.running) worker.send({ n: entry.n });
  }

  /** It certainly holds: it waits for the resource's answer to what it has shown of its lease. */
  #inflict(worker: Worker, index: number, { fault, stopMs }: RoundPlan): void {
    if (fault === undefined || !worker.running || this.#stopped.has(worker)) return;
    this.inflicted[fault]++;
    if (fault === 'stop') {
      this.#stopped.add(worker);
      worker.stop();
      setTimeout(() => this.#continue(worker), stopMs);
    } else {
      void worker.kill9();
      this.#start(index);
      for (const { ended } of this.#rounds.values()) ended[index]?.();
    }
  }

  #continue(worker: Worker): void {
    this.#stopped.delete(worker);
    worker.cont();
  }
}
