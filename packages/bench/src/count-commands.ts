/** Counts what these clients send, where they send it: the server's own count has the commands inside scripts too. */
import type { Redis } from 'ioredis';

export interface Counter {
  commands: number;
}

export function countCommands(clients: readonly Redis[]): Counter {
  const counter = { commands: 0 };
  for (const redis of clients) {
    const send = redis.sendCommand.bind(redis);
    redis.sendCommand = (...args) => {
      counter.commands++;
      return send(...args);
    };
  }
  return counter;
}
