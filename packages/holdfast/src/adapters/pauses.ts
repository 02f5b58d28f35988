import { backoffMs } from '../backoff.ts';

const RETRY = { firstMs: 50, maxMs: 1000 };

/** Growing pauses between attempts. They keep no process alive, and all of them can be ended at once. */
export class Pauses {
  readonly #running = new Map<NodeJS.Timeout, () => void>();

  take(attempt: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(
        () => {
          this.#running.delete(timer);
          resolve();
        },
        backoffMs(attempt, RETRY, Math.random()),
      ).unref();
      this.#running.set(timer, resolve);
    });
  }

  end(): void {
    for (const [timer, resolve] of this.#running) {
      clearTimeout(timer);
      resolve();
    }
    this.#running.clear();
  }
}
