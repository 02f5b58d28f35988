/** The socket of a client that writes each command by itself. */
export interface Corkable {
  cork?(): void;
  uncork?(): void;
}

/** By socket, until the code that runs now is done: whether what is sent is held back. */
const turns = new WeakMap<Corkable, 'first is out' | 'corked'>();

/**
 * Of what is sent in one turn of the event loop, the first goes out at once and all that follows in one write: many renewals, many acquires.
 * Nothing is delayed by that but for the rest of the turn: ticks come before any timer or socket.
 * @param send what belongs together, such as the pair that takes a free lock
 */
export function inOneWrite<T>(stream: Corkable | undefined, send: () => T): T {
  if (stream?.cork === undefined || stream.uncork === undefined) return send();
  const turn = turns.get(stream);
  if (turn === undefined) return firstOfTurn(stream, send);
  if (turn === 'first is out') {
    turns.set(stream, 'corked');
    stream.cork();
  }
  return send();
}

function firstOfTurn<T>(stream: Corkable, send: () => T): T {
  turns.set(stream, 'first is out');
  process.nextTick(endTurn, stream);
  stream.cork?.();
  try {
    return send();
  } finally {
    stream.uncork?.();
  }
}

function endTurn(stream: Corkable): void {
  if (turns.get(stream) === 'corked') stream.uncork?.();
  turns.delete(stream);
}
