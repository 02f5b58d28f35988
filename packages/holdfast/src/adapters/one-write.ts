/** The socket of a client that writes each command by itself. */
export interface Corkable {
  cork?(): void;
  uncork?(): void;
}

/** So many calls go out together: the server runs them while the next are made. */
const TOGETHER = 32;

/** By socket, until the code that runs now is done: how many are held back; none while only the first is out. */
const turns = new WeakMap<Corkable, number>();

/**
 * Of what is sent in one turn of the event loop, the first goes out at once and what follows in few writes: many renewals, many acquires.
 * Nothing is delayed by that but for the rest of the turn: ticks come before any timer or socket.
 * @param send what belongs together, such as the pair that takes a free lock
 */
export function inOneWrite<T>(stream: Corkable | undefined, send: () => T): T {
  if (stream?.cork === undefined || stream.uncork === undefined) return send();
  const held = turns.get(stream);
  if (held === undefined) return firstOfTurn(stream, send);
  if (held === TOGETHER) stream.uncork();
  const first = held === 0 || held === TOGETHER;
  if (first) stream.cork();
  turns.set(stream, first ? 1 : held + 1);
  return send();
}

function firstOfTurn<T>(stream: Corkable, send: () => T): T {
  turns.set(stream, 0);
  process.nextTick(endTurn, stream);
  stream.cork?.();
  try {
    return send();
  } finally {
    stream.uncork?.();
  }
}

function endTurn(stream: Corkable): void {
  if (turns.get(stream) !== 0) stream.uncork?.();
  turns.delete(stream);
}
