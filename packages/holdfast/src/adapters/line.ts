import type { Link, LinkEvents } from './link.ts';

export interface Pulse {
  /** A silent connection is asked for a sign of life this often. */
  readonly pingEveryMs: number;
  /** Connecting, and each answer, may take this long; a connection that is slower counts as broken. */
  readonly answerWithinMs: number;
}

/** A link under watch: it is connected and answers in time, or it is lost. Tells `lost` once, and nothing after. */
export class Line {
  #lostBy: Error | undefined;
  #fail: (error: Error) => void = () => {};
  readonly #failed: Promise<never>;
  readonly #turns = new Map<string, Promise<unknown>>();
  readonly #link: Link;
  readonly #heartbeat: NodeJS.Timeout;
  readonly #pulse: Pulse;
  readonly #onLost: () => void;

  constructor(
    open: (events: LinkEvents) => Link,
    events: Omit<LinkEvents, 'lost'>,
    onLost: () => void,
    pulse: Pulse,
  ) {
    this.#pulse = pulse;
    this.#onLost = onLost;
    this.#failed = new Promise((_, reject) => {
      this.#fail = reject;
    });
    this.#failed.catch(() => {}); // nobody may be waiting when it breaks
    this.#link = open({
      message: (channel, text) => this.#lostBy ?? events.message(channel, text),
      dropped: (channel) => this.#lostBy ?? events.dropped(channel),
      lost: (error) => this.end(error),
    });
    this.#link.ready.catch((error: Error) => this.end(error));
    this.#heartbeat = setInterval(() => void this.#beat(), pulse.pingEveryMs).unref();
  }

  subscribe(channel: string): Promise<unknown> {
    return this.#inTurn(channel, () => this.#link.subscribe(channel));
  }

  unsubscribe(channel: string): Promise<unknown> {
    return this.#inTurn(channel, () => this.#link.unsubscribe(channel));
  }

  /**
   * One thing at a time for a channel: node-redis takes a subscribe for done while the unsubscribe before it is still
   * under way, and ends up without the subscription.
   */
  #inTurn<T>(channel: string, question: () => Promise<T>): Promise<T> {
    const ask = () => this.#ask(question);
    const answer = (this.#turns.get(channel) ?? Promise.resolve()).then(ask, ask);
    this.#turns.set(channel, answer);
    const done = () => this.#turns.get(channel) === answer && this.#turns.delete(channel);
    answer.then(done, done);
    return answer;
  }

  /** Nothing arrives and nothing is told after this. */
  end(error: Error): void {
    if (this.#lostBy) return;
    this.#lostBy = error;
    clearInterval(this.#heartbeat);
    this.#link.destroy();
    this.#fail(error);
    this.#onLost();
  }

  async #beat(): Promise<void> {
    // A failed ping has told `lost` already where it means that; a refused one (NOPERM) is a sign of life too.
    await this.#ask(() => this.#link.ping()).catch(() => {});
  }

  async #ask<T>(question: () => Promise<T>): Promise<T> {
    if (this.#lostBy) throw this.#lostBy;
    const late = setTimeout(
      () => this.end(new Error(`no answer within ${this.#pulse.answerWithinMs} ms`)),
      this.#pulse.answerWithinMs,
    ).unref();
    try {
      const answer = this.#link.ready.then(question);
      answer.catch(() => {}); // the race may be over before it fails
      return await Promise.race([answer, this.#failed]);
    } finally {
      clearTimeout(late);
    }
  }
}
