/**
 * Keeps node-redis 5 from giving a command the reply of another. It writes once in a turn of the event loop. When the connection dies between a
 * command and that write, it writes to the dead socket all the same, and waits for the replies on the next connection, where every reply then goes
 * to the command before its own. So what was sent in the turn of a death is withdrawn, and what is sent in the rest of it waits for the next turn.
 * Only Holdfast's own commands: others that share the client may still cause it.
 */
import type { Emitter } from './drops.ts';

/** Replies as strings, also from a client whose own type mapping makes Buffers. */
const AS_STRINGS = { typeMapping: {} };

type Send = (options: object) => Promise<unknown>;

const known = new WeakMap<Emitter, Unwritten>();

/** Sends on `client`, which tells of each lost connection by `event`. What is withdrawn rejects, and has not reached the server. */
export function sendOn(client: Emitter, send: Send, event = 'reconnecting'): Promise<unknown> {
  // node-redis 6, which writes to no dead socket.
  if ('_keyPrefix' in client) return send(AS_STRINGS);
  const unwritten = known.get(client) ?? new Unwritten(client, event);
  known.set(client, unwritten);
  return unwritten.send(send);
}

class Unwritten {
  private turn: AbortController[] = [];
  /** Until the turn is over in which the connection died. */
  private death: Promise<void> | undefined;

  /** The listener stays: taking one off node-redis's proxies can take others with it. */
  constructor(client: Emitter, event: string) {
    client.on(event, () => this.died());
  }

  send(send: Send): Promise<unknown> {
    return this.death === undefined ? this.sendNow(send) : this.death.then(() => this.sendNow(send));
  }

  private sendNow(send: Send): Promise<unknown> {
    const withdrawal = new AbortController();
    const reply = send({ ...AS_STRINGS, abortSignal: withdrawal.signal });
    // Behind the client's own, in which it writes.
    if (this.turn.length === 0) setImmediate(() => this.written());
    this.turn.push(withdrawal);
    return reply;
  }

  private written(): void {
    this.turn = [];
  }

  private died(): void {
    // The last first: its queue breaks when the first of several is taken out before them.
    for (const withdrawal of this.turn.reverse()) withdrawal.abort();
    this.turn = [];
    this.death ??= new Promise((resolve) => {
      setImmediate(() => {
        this.death = undefined;
        resolve();
      });
    });
  }
}
