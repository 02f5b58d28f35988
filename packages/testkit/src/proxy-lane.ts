/*
 * One direction of one proxied connection. What arrives is queued and passed on when it is due and the way is open.
 * At the end of the stream the end is queued too, so that silence and delay hold it back like bytes.
 */
import type { Socket } from 'node:net';

export type Gate = 'open' | 'hold' | 'drop';

/** What both lanes of a direction share; the proxy changes it while connections are open. */
export interface Way {
  gate: Gate;
  delayMs: number;
  passedBytes: number;
  droppedBytes: number;
}

/** Bytes that may wait in one lane before its source is told to stop sending. */
const LIMIT_BYTES = 4 << 20;

type Item = { dueMs: number } & ({ bytes: Buffer } | { end: 'fin' | 'rst' });

export class Lane {
  readonly #from: Socket;
  readonly #to: Socket;
  readonly #way: Way;
  readonly #queue: Item[] = [];
  #queuedBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Set when bytes were dropped: TCP never delivers what comes after a gap. */
  #broken = false;

  constructor(from: Socket, to: Socket, way: Way) {
    this.#from = from;
    this.#to = to;
    this.#way = way;
    from.on('data', (bytes: Buffer) => this.#put({ dueMs: this.#due(), bytes }));
    from.on('end', () => this.#put({ dueMs: this.#due(), end: 'fin' }));
    from.on('error', () => this.#put({ dueMs: this.#due(), end: 'rst' }));
    to.on('drain', () => this.pump());
    to.on('close', () => clearTimeout(this.#timer));
  }

  /** Passes on what is due. Called whenever something arrives, falls due or opens. */
  pump(): void {
    clearTimeout(this.#timer);
    while (this.#queue[0] && this.#mayPass(this.#queue[0])) this.#pass(this.#queue.shift() as Item);
    if (this.#queuedBytes < LIMIT_BYTES && this.#from.isPaused()) this.#from.resume();
    const [next] = this.#queue;
    // Also for what has fallen due since it was looked at: nothing else may come that would pass it on.
    if (next && this.#isOpen())
      this.#timer = setTimeout(() => this.pump(), Math.max(0, Math.ceil(next.dueMs - performance.now())));
  }

  #due(): number {
    return performance.now() + this.#way.delayMs;
  }

  #put(item: Item): void {
    this.#queue.push(item);
    if ('bytes' in item) this.#queuedBytes += item.bytes.length;
    if (this.#queuedBytes >= LIMIT_BYTES) this.#from.pause();
    this.pump();
  }

  #mayPass({ dueMs }: Item): boolean {
    return dueMs <= performance.now() && this.#isOpen();
  }

  #isOpen(): boolean {
    return this.#way.gate !== 'hold' && (this.#swallows() || !this.#to.writableNeedDrain);
  }

  #swallows(): boolean {
    return this.#broken || this.#way.gate === 'drop';
  }

  #pass(item: Item): void {
    if ('bytes' in item) this.#passBytes(item.bytes);
    else if (this.#swallows()) this.#broken = true;
    else if (item.end === 'fin') this.#to.end();
    else this.#to.resetAndDestroy();
  }

  #passBytes(bytes: Buffer): void {
    this.#queuedBytes -= bytes.length;
    if (this.#swallows()) {
      this.#broken = true;
      this.#way.droppedBytes += bytes.length;
    } else if (this.#to.writable) {
      this.#way.passedBytes += bytes.length;
      this.#to.write(bytes);
    }
  }
}
