/** Connections to a server that is the lab's own: it is emptied before every order. */
import { Redis } from 'ioredis';
import type { Connections } from './stage.ts';

export interface OwnConnections extends Connections, Disposable {}

export function connections(port: number): OwnConnections {
  const named = new Map<string, Redis>();
  const open = () => {
    const redis = new Redis({ port, host: '127.0.0.1', enableReadyCheck: false });
    // Commands say it themselves when the server is gone.
    return redis.on('error', () => {});
  };
  const connection = (name: string) => {
    const known = named.get(name) ?? open();
    named.set(name, known);
    return known;
  };
  const own = open();
  return {
    own,
    of: connection,
    earOf: (name) => connection(`${name}'s ear`),
    [Symbol.dispose]() {
      for (const redis of [own, ...named.values()]) redis.disconnect();
    },
  };
}
