/** The calls that have not settled, each with its deadline. Time in which the process does not run does not count. */
import type { Record } from './journal.ts';

/** Beyond what the library promises: the time until a settled promise's follower runs. */
const GRACE_MS = 100;

interface Call {
  readonly what: string;
  leftMs: number;
}

export class Pending {
  record: Record = () => {};
  readonly #calls = new Set<Call>();

  /** Passes on what `call` becomes; writes down when it is later than it may be. */
  async within<T>(deadlineMs: number, what: string, call: () => Promise<T>): Promise<T> {
    const one = { what, leftMs: deadlineMs + GRACE_MS };
    this.#calls.add(one);
    try {
      return await call();
    } finally {
      this.#calls.delete(one);
    }
  }

  tick(ranMs: number): void {
    for (const call of this.#calls) {
      const wasIn = call.leftMs > 0;
      call.leftMs -= ranMs;
      if (wasIn && call.leftMs <= 0) this.record('stuck', { what: call.what });
    }
  }
}
