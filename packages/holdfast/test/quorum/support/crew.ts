/** The processes of the storm over a quorum, each with its own way to each node: killed, stopped and cut off while they hold. */
import { join } from 'node:path';
import {
  eventually,
  startProxy,
  startWorker,
  type TcpProxy,
  type Worker,
} from '../../../../testkit/src/index.ts';
import type { FencedResource, Shown } from '../../suites/storm/resource.ts';

const SCRIPT = new URL('../workers/contender.mjs', import.meta.url);
/** One lease of so many hits somebody. */
const FAULT_EVERY = 12;
/** Each five hits are these, in any order: left to chance alone, some storms would hardly kill. */
const ROUND = ['kill', 'stop', 'cut', 'cut', 'cut'] as const;

export interface CrewOptions {
  readonly ports: readonly number[];
  readonly processes: number;
  readonly names: readonly string[];
  /** For the histories. */
  readonly folder: string;
  readonly ttlMs: number;
  readonly waitMs: number;
  readonly faults: boolean;
  /** Not the library's lock but one that takes one node for enough. */
  readonly control: boolean;
}

interface Member {
  readonly ways: readonly TcpProxy[];
  worker: Worker;
  stopped: boolean;
}

export class Crew implements AsyncDisposable {
  readonly files: string[] = [];
  readonly inflicted = { kill: 0, stop: 0, cut: 0 };
  readonly faults: string[] = [];
  #entered = 0;
  #left: (typeof ROUND)[number][] = [];
  #ending = false;
  readonly #options: CrewOptions;
  readonly #resource: FencedResource;
  readonly #members: Member[] = [];

  private constructor(options: CrewOptions, resource: FencedResource) {
    this.#options = options;
    this.#resource = resource;
  }

  static async start(options: CrewOptions, resource: FencedResource): Promise<Crew> {
    const crew = new Crew(options, resource);
    for (let i = 0; i < options.processes; i++) {
      const ways = await Promise.all(options.ports.map((port) => startProxy({ port })));
      crew.#members.push({ ways, worker: crew.#launch(ways), stopped: false });
    }
    for (const member of crew.#members) void crew.#hear(member, member.worker);
    return crew;
  }

  /** Resolves when that many leases have been shown. */
  async until(grants: number, withinMs: number): Promise<void> {
    await eventually(() => this.#entered >= grants, { withinMs, what: `${grants} grants` });
  }

  /** Lets its processes end by themselves. */
  async end(): Promise<void> {
    this.#ending = true;
    for (const member of this.#members) {
      this.#mend(member);
      if (member.stopped) this.#continue(member);
      member.worker.send('end');
    }
    for (const { worker } of this.#members) {
      await eventually(() => !worker.running, { withinMs: 15_000, what: 'a process ends by itself' });
      const { code } = await worker.exited;
      if (code !== 0 || worker.stderr !== '') this.faults.push(`ended with ${code}: ${worker.stderr}`);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending = true;
    await Promise.all(this.#members.map(({ worker }) => worker.kill9()));
    await Promise.all(this.#members.flatMap(({ ways }) => ways.map((way) => way.shutdown())));
  }

  #launch(ways: readonly TcpProxy[]): Worker {
    const { folder, names, ttlMs, waitMs, control } = this.#options;
    const file = join(folder, `${this.files.length}.jsonl`);
    this.files.push(file);
    const ports = ways.map(({ port }) => port);
    return startWorker(SCRIPT, { args: [JSON.stringify({ ports, file, names, ttlMs, waitMs, control })] });
  }

  async #hear(member: Member, worker: Worker): Promise<void> {
    for await (const message of worker.messages as AsyncIterable<Shown & { readonly n: number }>) {
      this.#resource.take(message);
      if (message.what === 'enter' && ++this.#entered % FAULT_EVERY === 0) this.#inflict(member);
      // Whoever is stopped reads it later, and then still believes that he holds.
      if (worker.running) worker.send({ n: message.n });
    }
  }

  /** It certainly holds: it waits for the resource's answer. */
  #inflict(member: Member): void {
    if (!this.#options.faults || this.#ending || member.stopped) return;
    if (this.#left.length === 0) this.#left = [...ROUND];
    const [fault = 'cut'] = this.#left.splice(Math.floor(Math.random() * this.#left.length), 1);
    this.inflicted[fault]++;
    if (fault === 'kill') {
      void member.worker.kill9();
      member.worker = this.#launch(member.ways);
      void this.#hear(member, member.worker);
    } else if (fault === 'stop') {
      member.stopped = true;
      member.worker.stop();
      setTimeout(() => this.#continue(member), this.#options.ttlMs * (1.1 + Math.random() / 2));
    } else {
      this.#cut(member);
    }
  }

  /** From one node, two or all, in any direction, for up to twice the ttl. */
  #cut(member: Member): void {
    const any = <T>(list: readonly T[]) => list[Math.floor(Math.random() * list.length)] as T;
    for (const way of member.ways) {
      if (Math.random() < 0.4) way.silence(any(['up', 'down', 'both']), any(['hold', 'drop']));
    }
    setTimeout(() => this.#mend(member), Math.random() * 2 * this.#options.ttlMs);
  }

  #mend({ ways }: Member): void {
    for (const way of ways) {
      const { droppedUpBytes, droppedDownBytes } = way.stats;
      way.heal();
      // What lost something never recovers by itself.
      if (droppedUpBytes + droppedDownBytes > 0) way.cut();
    }
  }

  #continue(member: Member): void {
    member.stopped = false;
    member.worker.cont();
  }
}
