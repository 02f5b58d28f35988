import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface EventuallyOptions {
  /** Milliseconds until the wait is given up. Default 5000. */
  withinMs?: number;
  /** Milliseconds between two looks. Default 20. */
  everyMs?: number;
  /** What is waited for, for the error message. */
  what?: string;
}

/**
 * Looks again and again until `fn` gives something truthy, and resolves with it.
 * Rejects after `withinMs` with what was seen last: the value, or the error `fn` threw (as `cause`).
 */
export async function eventually<T>(
  fn: () => T | Promise<T>,
  { withinMs = 5_000, everyMs = 20, what = 'a condition' }: EventuallyOptions = {},
): Promise<NonNullable<T>> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const seen = await look(fn);
    if ('value' in seen && seen.value) return seen.value;
    if (performance.now() >= deadline) throw gaveUp(what, withinMs, seen);
    await sleep(everyMs);
  }
}

type Seen<T> = { value: T } | { error: unknown };

async function look<T>(fn: () => T | Promise<T>): Promise<Seen<T>> {
  try {
    return { value: await fn() };
  } catch (error) {
    return { error };
  }
}

function gaveUp(what: string, withinMs: number, seen: Seen<unknown>): Error {
  const last = 'error' in seen ? `it threw: ${seen.error}` : `it gave: ${String(seen.value)}`;
  return new Error(`${what} did not come true within ${withinMs} ms; last, ${last}`, {
    cause: 'error' in seen ? seen.error : undefined,
  });
}

/** Resolves when a signal is aborted; at once where it is already: a short lease may be over before anybody listens. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/*
 * Ports come from 12000-21999 and a cluster node's bus port lies 10000 above, both below the range from which the
 * kernel takes the ports of outgoing connections: a client cannot take a port while its server is being restarted.
 */
const FIRST_PORT = 12_000;
const PORTS = 10_000;
const BUS_OFFSET = 10_000;
const handedOut = new Set<number>();

/** A port of 127.0.0.1 nobody listens on; the port 10000 above is free too. The same one is not given twice. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORTS);
    if (handedOut.has(port)) continue;
    if ((await canListen(port)) && (await canListen(port + BUS_OFFSET))) {
      handedOut.add(port);
      return port;
    }
  }
  throw new Error(`no free port found between ${FIRST_PORT} and ${FIRST_PORT + PORTS - 1}`);
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
