/** One actor of a running order. */
import { Ear } from './ear.ts';
import type { Command, ExploredActor, Outcome } from './scenario.ts';
import type { Connections } from './stage.ts';
import { readsClock, sends, subscribes, transacts, type Wish } from './wish.ts';

/** Where the virtual clocks begin, in ms: a plausible time, so that scores look like ones. */
export const EPOCH_MS = 1_700_000_000_000;

export class ActorOnStage implements ExploredActor {
  /** What waits for its turn. */
  wants: Wish | undefined;
  ear: Ear | undefined;
  outcome: Outcome | undefined;
  /** How many permits it works with; 0 = it does not work. */
  weight = 0;
  /** Commands of no order that have not been answered. */
  asides = 0;
  private notes: string[] = [];
  private ids = 0;
  private settle: ((reply: unknown) => void) | undefined;

  constructor(
    readonly name: string,
    private readonly connections: Connections,
    private readonly clock: () => number,
  ) {}

  start(play: ((actor: ExploredActor) => Promise<unknown>) | undefined): void {
    play?.(this).then(
      (value) => this.end({ is: 'done', value }),
      (error: Error) => this.end({ is: 'failed', error }),
    );
  }

  /** A message has come, and waits for its turn. */
  get hears(): boolean {
    return this.outcome === undefined && this.ear !== undefined && this.ear.waiting > 0;
  }

  send(...command: Command): Promise<unknown> {
    return this.wish(sends(command, command.join(' ')));
  }

  sendAs(text: string, ...command: Command): Promise<unknown> {
    return this.wish(sends(command, text));
  }

  transaction(make: () => readonly Command[]): Promise<readonly unknown[]> {
    return this.wish(transacts(make)) as Promise<readonly unknown[]>;
  }

  readClock(): Promise<number> {
    return this.wish(readsClock(() => this.now())) as Promise<number>;
  }

  aside(...[command, ...args]: Command): Promise<unknown> {
    this.asides++;
    return this.connections.own.call(String(command), [...args]).finally(() => this.asides--);
  }

  async listen(channel: string, hear: (text: string) => void): Promise<void> {
    this.ear ??= new Ear(this.connections.earOf(this.name));
    await this.wish(subscribes(this.ear, channel, hear));
  }

  now(): number {
    return EPOCH_MS + this.clock();
  }

  id(): string {
    return `${this.name.toLowerCase()}${++this.ids}`;
  }

  enter(weight = 1): void {
    this.weight = weight;
  }

  leave(): void {
    this.weight = 0;
  }

  note(text: string): void {
    this.notes.push(text);
  }

  /** The reply to what it wanted. */
  answer(reply: unknown): void {
    this.wants = undefined;
    this.settle?.(reply);
  }

  takeNotes(): readonly string[] {
    return this.notes.splice(0);
  }

  crash(): void {
    this.wants = undefined;
    this.weight = 0;
    this.outcome ??= { is: 'crashed' };
  }

  private wish(wish: Wish): Promise<unknown> {
    if (this.outcome !== undefined) return new Promise(() => {});
    this.wants = wish;
    return new Promise((resolve, reject) => {
      this.settle = (reply) => (reply instanceof Error ? reject(reply) : resolve(reply));
    });
  }

  private end(outcome: Outcome): void {
    this.outcome ??= outcome;
    this.weight = 0;
  }
}
