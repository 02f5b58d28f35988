/**
 * A run that follows a script, on servers and processes of its own: for what is no order of commands on one server. What the
 * actors send is sent, what the servers reply is what is shown, and what is wrong is found by looking.
 */
import type { Actor, Line } from './scenario.ts';
import { textOf } from './values.ts';

export interface Drama {
  readonly name: string;
  /** One sentence: who does what. */
  readonly about: string;
  /** Whose lines those of an actor are; everybody else's are what happens to them. */
  readonly actors: readonly string[];
  readonly run: () => Promise<Played>;
  readonly expects: 'bug' | 'no bug';
}

export interface Played {
  readonly lines: readonly Line[];
  /** What is wrong, in one sentence; `undefined` when nothing is. */
  readonly why: string | undefined;
  /** The line with which it goes wrong, where that is not the first with more at work than may. */
  readonly moment?: number;
}

/** A server, by what is shown of it. */
export interface Place {
  readonly name: string;
  command(...args: (string | number)[]): Promise<unknown>;
}

type Look = () => Promise<Record<string, string>>;

/** Keeps the lines of a drama. */
export class Recorder {
  readonly lines: Line[] = [];
  readonly #inside = new Set<string>();
  readonly #look: Look;

  /** @param look what is shown after each line: keys on servers, the state of a resource */
  constructor(look: Look) {
    this.#look = look;
  }

  /** A command that its actor sends now. Rejects if the server refuses it or does not answer. */
  async send(who: string, to: Place, args: readonly (string | number)[]): Promise<unknown> {
    const reply = await to.command(...args).catch((error: Error) => error);
    await this.say(who, `${args.join(' ')} → ${to.name}`, answerOf(reply));
    if (reply instanceof Error) throw reply;
    return reply;
  }

  /** Anything else that is done or happens. */
  async say(who: string, what: string, reply = ''): Promise<void> {
    this.#push(who, what, reply, await this.#look());
  }

  /** It believes that it may work from here on: from its own line, if that was the last, else from the next. */
  enter(who: string): void {
    this.#inside.add(who);
    const last = this.lines.at(-1);
    if (last?.who === who) this.lines[this.lines.length - 1] = { ...last, inside: [...this.#inside] };
  }

  /** Shown with the next line. */
  leave(who: string): void {
    this.#inside.delete(who);
  }

  /** An actor for the locks of the steps, on that server. */
  actor(name: string, on: Place): Actor {
    let ids = 0;
    return {
      name,
      send: (...args) => this.send(name, on, args),
      now: () => Date.now(),
      id: () => `${name.toLowerCase()}${++ids}`,
      enter: () => this.enter(name),
      leave: () => this.leave(name),
      note: (text) => this.#push(name, text, '', this.lines.at(-1)?.keys ?? {}),
    };
  }

  #push(who: string, what: string, reply: string, keys: Line['keys']): void {
    this.lines.push({ who, what, reply, keys, inside: [...this.#inside] });
  }
}

/** Ports and the like differ from run to run. */
function answerOf(reply: unknown): string {
  return reply instanceof Error && reply.name !== 'ReplyError' ? 'no answer' : textOf(reply);
}
