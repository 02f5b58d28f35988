interface Taker<T> {
  wants(message: T): boolean;
  resolve(message: T): void;
  reject(error: Error): void;
  /** Stops the clock of a taker that waits for a limited time. */
  settled?(): void;
}

/** Messages nobody has taken yet, and takers nobody has written to yet. */
export class Inbox<T> {
  readonly #messages: T[] = [];
  readonly #takers: Taker<T>[] = [];
  #closed: Error | undefined;

  put(message: T): void {
    const at = this.#takers.findIndex(({ wants }) => wants(message));
    const [taker] = at < 0 ? [] : this.#takers.splice(at, 1);
    if (!taker) return void this.#messages.push(message);
    taker.settled?.();
    taker.resolve(message);
  }

  /** Takes the first message that is wanted, out of turn if need be. Rejects when it is closed without one, or late. */
  take(wants: (message: T) => boolean, withinMs?: number): Promise<T> {
    const at = this.#messages.findIndex(wants);
    if (at >= 0) return Promise.resolve(this.#messages.splice(at, 1)[0] as T);
    if (this.#closed) return Promise.reject(this.#closed);
    return new Promise((resolve, reject) => this.#enlist({ wants, resolve, reject }, withinMs));
  }

  #enlist(taker: Taker<T>, withinMs: number | undefined): void {
    this.#takers.push(taker);
    if (withinMs === undefined) return;
    const timer = setTimeout(() => this.#giveUp(taker, withinMs), withinMs);
    taker.settled = () => clearTimeout(timer);
  }

  #giveUp(taker: Taker<T>, withinMs: number): void {
    this.#takers.splice(this.#takers.indexOf(taker), 1);
    taker.reject(new Error(`no such message within ${withinMs} ms; not taken: ${this.#untaken()}`));
  }

  #untaken(): string {
    return JSON.stringify(this.#messages.slice(-5)).slice(0, 500);
  }

  /** No message comes any more: who waits is told why; what is there can still be taken. */
  close(reason: Error): void {
    this.#closed = reason;
    for (const taker of this.#takers.splice(0)) {
      taker.settled?.();
      taker.reject(reason);
    }
  }

  /** Takes messages in their order until it is closed. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    while (this.#messages.length > 0 || !this.#closed) {
      const next = await this.take(() => true).catch(() => undefined);
      if (next === undefined) return;
      yield next;
    }
  }
}
