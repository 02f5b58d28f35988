/** The resource process, as the arena sees it. */
import { join } from 'node:path';
import { startWorker, type Worker } from '@holdfast/testkit';

const SCRIPT = new URL('../resource/main.js', import.meta.url);

export interface Present {
  /** Process ids. */
  readonly holders: readonly number[];
  readonly waiters: readonly number[];
}

export class ResourceProcess implements AsyncDisposable {
  readonly file: string;
  readonly path: string;
  readonly #worker: Worker;

  private constructor(folder: string, fenced: boolean) {
    this.path = join(folder, 'resource.sock');
    this.file = join(folder, 'resource.jsonl');
    this.#worker = startWorker(SCRIPT, {
      args: [JSON.stringify({ path: this.path, file: this.file, fenced })],
    });
  }

  static async start(folder: string, { fenced }: { readonly fenced: boolean }): Promise<ResourceProcess> {
    const resource = new ResourceProcess(folder, fenced);
    await resource.#worker.waitFor((message) => message === 'ready');
    return resource;
  }

  /** Who is in there under that name, and who waits for it. */
  async present(name: string): Promise<Present> {
    this.#worker.send({ who: name });
    return this.#worker.waitFor<Present & { who: string }>((message) => message.who === name);
  }

  /** The most permits that were inside at once, under any name. */
  async most(): Promise<number> {
    this.#worker.send({});
    const { most } = await this.#worker.waitFor<{ most: Record<string, number> }>(
      ({ most }) => most !== undefined,
    );
    return Math.max(0, ...Object.values(most));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.kill9();
  }
}
