/** What the explorer is given, and what it finds. */
import type { Drama } from './drama.ts';

export type Command = readonly (string | number)[];

/** One participant of a scenario. Its commands go one by one, each when the explorer gives it the turn. */
export interface Actor {
  readonly name: string;
  /** Sends one command on a connection of its own. An error reply rejects. */
  send(...args: Command): Promise<unknown>;
  /** Its own clock in ms: a step of the order takes 1 ms. */
  now(): number;
  /** A name that nobody else has, the same in every run of the same order. */
  id(): string;
  /** It believes that it may work now, with so many of the permits. */
  enter(weight?: number): void;
  leave(): void;
  /** Something worth seeing in the order, besides commands. */
  note(text: string): void;
}

/** What only an actor of the explorer can do. */
export interface ExploredActor extends Actor {
  /** The same, shown as `text` instead of its arguments. */
  sendAs(text: string, ...args: Command): Promise<unknown>;
  /** Sends a command that is no part of the order: at once, and not shown. */
  aside(...args: Command): Promise<unknown>;
  /** Subscribes to a channel, as a step of the order; so is the arrival of each message. */
  listen(channel: string, hear: (text: string) => void): Promise<void>;
  /**
   * Sends MULTI, the commands and EXEC in one turn, and returns the replies. `make` is called when the turn comes: a clock that it
   * reads is read in the same moment. For keys that nobody watches.
   */
  transaction(make: () => readonly Command[]): Promise<readonly unknown[]>;
  /** Reads its clock in a turn of its own, so that others may come between the reading and the use. */
  readClock(): Promise<number>;
}

/** What happens to the actors, once in every order, at any point of it. */
export type Happening =
  /** The actor ends without another command. */
  | { readonly is: 'crash'; readonly actor: string }
  /** The time of that key runs out, if it has one; with `of` only while that is its value: the lease of one holder. */
  | { readonly is: 'expiry'; readonly key: string; readonly of?: string }
  /** An operator deletes the key, with `of` only while that is its value: he takes it for left over. */
  | { readonly is: 'removal'; readonly key: string; readonly of?: string };

export type Outcome =
  | { readonly is: 'done'; readonly value: unknown }
  | { readonly is: 'failed'; readonly error: Error }
  | { readonly is: 'crashed' }
  /** Waits for something that never comes. */
  | { readonly is: 'stuck' };

/** How an order ended. */
export interface End {
  readonly outcomes: Readonly<Record<string, Outcome>>;
  /** The first moment at which more worked at once than may. */
  readonly crowd: string | undefined;
  /** Reads the server's state, outside of the order. */
  read(...args: readonly (string | number)[]): Promise<unknown>;
}

export interface Scenario {
  readonly name: string;
  /** One sentence: who does what. */
  readonly about: string;
  readonly actors: Readonly<Record<string, (actor: ExploredActor) => Promise<unknown>>>;
  /** Commands that make the state before the order. */
  readonly setup?: readonly (readonly (string | number)[])[];
  readonly happenings?: readonly Happening[];
  /** How far an actor's clock is ahead of the true time, in ms. */
  readonly clockAheadMs?: Readonly<Record<string, number>>;
  /** How many may work at once. Default 1. */
  readonly limit?: number;
  /** Where there are more orders than that, a sample is enough. Default: the explorer's bound. */
  readonly maxOrders?: number;
  /** Keys whose values are shown along an order. */
  readonly shows?: readonly string[];
  /** What is wrong, in one sentence; `undefined` when nothing is. Default: more inside than may. */
  readonly verdict?: (end: End) => Promise<string | undefined> | string | undefined;
  /** A harmless call of the command that not every server has; where it is unknown there is nothing to explore. */
  readonly needs?: readonly string[];
  /** Whether some order is bad. */
  readonly expects: 'bug' | 'no bug';
}

/** A step of the chapter. */
export interface Step {
  readonly id: string;
  readonly name: string;
  /** What it is, and which bug of the step before it mends. */
  readonly about: string;
  readonly scenarios: readonly Scenario[];
  /** What no order of commands can show: several servers, processes that stop. */
  readonly dramas?: readonly Drama[];
}

/** One line of an order, as people read it. */
export interface Line {
  /** The actor; anybody else (`time`, `crash`, `operator`, `network`, …) is what happens to them. */
  readonly who: string;
  /** The command as it was sent, or what happened. */
  readonly what: string;
  /** The server's reply; `''` for what is no command. */
  readonly reply: string;
  /** The keys that the scenario shows, after this line. */
  readonly keys: Readonly<Record<string, string>>;
  /** Who works after this line. */
  readonly inside: readonly string[];
}

export interface Found {
  readonly scenario: Scenario;
  /** How many orders were run. */
  readonly orders: number;
  readonly bad: number;
  /** Why none was run: the server lacks a command. */
  readonly skipped?: string;
  /** All there are? Else `share` of them, by estimate. */
  readonly complete: boolean;
  readonly share: number;
  /** The shortest bad order. */
  readonly shortest: { readonly why: string; readonly lines: readonly Line[] } | undefined;
  readonly tookMs: number;
}
