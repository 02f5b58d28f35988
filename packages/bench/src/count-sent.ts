/** Counts what this process sends to servers, at its sockets: whichever client and connection it is, and without what scripts do inside. */
import { Socket } from 'node:net';

export interface Sent {
  commands: number;
  /** Writes to a socket. */
  writes: number;
  /** Turns of the event loop in which something was written: a round trip at most each, for each server. */
  turns: number;
}

type Chunk = { readonly chunk: Buffer | string };
type Writer = {
  _write(data: Buffer | string, encoding: string, done: () => void): void;
  _writev(chunks: Chunk[], done: () => void): void;
};

/** A command begins with the number of its words, and its first word with a length. */
const COMMAND = /\*\d+\r\n\$/g;

export function countSent(): Sent {
  const sent: Sent = { commands: 0, writes: 0, turns: 0 };
  let inTurn = false;
  const { _write: write, _writev: writev } = Socket.prototype as unknown as Writer;
  const count = (text: string) => {
    const found = text.match(COMMAND)?.length ?? 0;
    if (found === 0) return;
    sent.commands += found;
    sent.writes++;
    if (inTurn) return;
    inTurn = true;
    sent.turns++;
    setImmediate(() => {
      inTurn = false;
    });
  };
  Object.assign(Socket.prototype, {
    _write(this: Writer, data: Buffer | string, encoding: string, done: () => void) {
      count(data.toString('latin1' as never));
      write.call(this, data, encoding, done);
    },
    _writev(this: Writer, chunks: Chunk[], done: () => void) {
      count(chunks.map(({ chunk }) => chunk.toString('latin1' as never)).join(''));
      writev.call(this, chunks, done);
    },
  });
  return sent;
}
