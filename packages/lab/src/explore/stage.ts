/**
 * Runs one order of the commands of a scenario on a real server: an actor that wants to send waits for its turn, and whoever is chosen
 * gets it. Everything else about an order follows from the choices, so the same choices give the same order.
 */
import type { Redis } from 'ioredis';
import { ActorOnStage } from './actor.ts';
import { happenToKey } from './happening.ts';
import type { End, Happening, Line, Outcome, Scenario } from './scenario.ts';
import { keysNow } from './values.ts';

/** Somebody who could be next, by what is shown of it. */
export interface Option {
  readonly label: string;
  take(): Promise<void>;
}

export interface Run {
  readonly why: string | undefined;
  readonly lines: readonly Line[];
  /** How often the turn went from one to another: short orders with few switches are easy to read. */
  readonly switches: number;
}

export interface Connections {
  /** One per actor name, so that WATCH and MULTI are its own. */
  of(name: string): Redis;
  /** For what is no part of the order. */
  readonly own: Redis;
  /** Where an actor hears messages: a connection that is only for that. */
  earOf(name: string): Redis;
}

/** So many turns of the event loop without anything new: nothing will come. */
const QUIET_ROUNDS = 3;

export class Stage {
  private readonly actors: ActorOnStage[];
  private readonly left: Set<Happening>;
  private readonly lines: Line[] = [];
  /** Whose turn each line was; the crash of an actor is its own last one. */
  private readonly turns: string[] = [];
  private readonly limit: number;
  private crowd: string | undefined;
  private tick = 0;

  constructor(
    private readonly scenario: Scenario,
    private readonly connections: Connections,
    /** Whether to look at the keys after each step; slower. */
    private readonly showing: boolean,
  ) {
    this.limit = scenario.limit ?? 1;
    this.left = new Set(scenario.happenings);
    this.actors = Object.keys(scenario.actors).map(
      (name) => new ActorOnStage(name, connections, () => this.tick + (scenario.clockAheadMs?.[name] ?? 0)),
    );
  }

  /** @param choose which of the options goes next */
  async run(choose: (count: number) => number): Promise<Run> {
    const { own } = this.connections;
    // One connection answers in order: no need to wait for each.
    const setup = this.scenario.setup ?? [];
    await Promise.all([own.flushdb(), ...setup.map(([command, ...args]) => own.call(String(command), args))]);
    for (const actor of this.actors) actor.start(this.scenario.actors[actor.name]);
    for (;;) {
      await this.settled();
      for (const actor of this.actors) await actor.ear?.catchUp();
      const options = this.options();
      const option = options[options.length > 1 ? choose(options.length) : 0];
      if (option === undefined) break;
      this.tick++;
      await option.take();
    }
    for (const actor of this.actors) await actor.ear?.close();
    return { why: await this.verdict(), lines: this.lines, switches: this.switches() };
  }

  /** Everybody has come to a command, to an end, or waits for a message. */
  private async settled(): Promise<void> {
    for (let quiet = 0; quiet < QUIET_ROUNDS; quiet++) {
      await new Promise((resolve) => setImmediate(resolve));
      if (this.actors.every((actor) => actor.wants !== undefined || actor.outcome !== undefined)) return;
      if (this.actors.some((actor) => actor.asides > 0)) quiet = 0;
    }
  }

  private options(): Option[] {
    const turns = this.actors.flatMap((actor) => [
      ...(actor.wants === undefined ? [] : [{ label: actor.name, take: () => this.turn(actor) }]),
      ...(actor.hears ? [{ label: `message to ${actor.name}`, take: () => this.arrival(actor) }] : []),
    ]);
    // What happens after everybody has ended changes nothing.
    if (turns.length === 0) return [];
    const happen = [...this.left].map((one) => ({ label: one.is, take: () => this.happen(one) }));
    return [...turns, ...happen];
  }

  private async turn(actor: ActorOnStage): Promise<void> {
    this.turns.push(actor.name);
    const before = this.lines.at(-1) ?? (await this.state());
    const done = await actor.wants?.(this.connections.of(actor.name));
    actor.answer(done?.reply);
    await this.settled();
    this.look(actor.name);
    const rows = done?.rows ?? [];
    // Of a turn with many commands nobody sees anything before its end.
    for (const { what, reply } of rows.slice(0, -1)) this.push(actor.name, what, reply, before);
    for (const { what, reply } of rows.slice(-1)) await this.show(actor.name, what, reply, actor.takeNotes());
  }

  private async arrival(actor: ActorOnStage): Promise<void> {
    actor.ear?.deliver();
    await this.settled();
    this.look(actor.name);
    await this.show(actor.name, 'a message arrives', '', actor.takeNotes());
  }

  private async happen(one: Happening): Promise<void> {
    this.left.delete(one);
    if (one.is === 'crash') return this.crash(one.actor);
    const { who, what } = await happenToKey(one, this.connections.own);
    this.turns.push(who);
    return this.show(who, what, '', []);
  }

  private async crash(name: string): Promise<void> {
    this.actors.find((actor) => actor.name === name)?.crash();
    // The server notices that the connection is gone.
    const connection = this.connections.of(name);
    await connection.call('DISCARD').catch(() => {});
    await connection.call('UNWATCH');
    this.turns.push(name);
    return this.show('crash', `${name} dies`, '', []);
  }

  /** More at work than may? */
  private look(last: string): void {
    const inside = this.actors.filter(({ weight }) => weight > 0);
    const sum = inside.reduce((total, { weight }) => total + weight, 0);
    if (sum <= this.limit || this.crowd !== undefined) return;
    const names = inside.map(({ name }) => name).join(' and ');
    this.crowd = `${names} work at once, since ${last} got in; ${this.limit === 1 ? 'one' : this.limit} may`;
  }

  private async show(who: string, what: string, reply: string, notes: readonly string[]): Promise<void> {
    const after = await this.state();
    this.push(who, what, reply, after);
    for (const note of notes) this.push(who, note, '', after);
  }

  private async state(): Promise<Pick<Line, 'keys' | 'inside'>> {
    const inside = this.actors.filter(({ weight }) => weight > 0).map(({ name }) => name);
    return {
      inside,
      keys: this.showing ? await keysNow(this.connections.own, this.scenario.shows ?? []) : {},
    };
  }

  private push(who: string, what: string, reply: string, { keys, inside }: Pick<Line, 'keys' | 'inside'>) {
    this.lines.push({ who, what, reply, keys, inside });
  }

  private async verdict(): Promise<string | undefined> {
    const { own } = this.connections;
    const outcomes = this.actors.map(({ name, outcome }): [string, Outcome] => [
      name,
      outcome ?? { is: 'stuck' },
    ]);
    const end: End = {
      outcomes: Object.fromEntries(outcomes),
      crowd: this.crowd,
      read: (command, ...args) => own.call(String(command), args),
    };
    for (const { outcome } of this.actors)
      if (outcome?.is === 'failed' && this.scenario.verdict === undefined) throw outcome.error;
    return this.scenario.verdict === undefined ? this.crowd : await this.scenario.verdict(end);
  }

  private switches(): number {
    return this.turns.filter((turn, i) => i > 0 && turn !== this.turns[i - 1]).length;
  }
}
