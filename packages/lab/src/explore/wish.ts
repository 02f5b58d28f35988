/** What an actor does when it gets the turn. However much it is, nobody comes between. */
import type { Redis } from 'ioredis';
import type { Ear } from './ear.ts';
import type { Command } from './scenario.ts';
import { textOf } from './values.ts';

/** What was done, a line for each thing that people should see. */
interface Done {
  readonly reply: unknown;
  readonly rows: readonly { readonly what: string; readonly reply: string }[];
}

export type Wish = (redis: Redis) => Promise<Done>;

/** @param text what is shown of it */
export function sends(command: Command, text: string): Wish {
  return async (redis) => {
    const [name, ...args] = command;
    const reply = await redis.call(String(name), args).catch((error: Error) => error);
    return { reply, rows: [{ what: text, reply: textOf(reply) }] };
  };
}

/** What a server does with queued commands shows in nobody's keys before EXEC: the turns between would only repeat orders. */
export function transacts(make: () => readonly Command[]): Wish {
  return async (redis) => {
    const commands = make();
    const multi = redis.multi();
    for (const [name, ...args] of commands) multi.call(String(name), args);
    const replies = await multi.exec();
    const failed = replies?.find(([error]) => error !== null)?.[0];
    const values = replies?.map(([, value]) => value) ?? [];
    // Each command stands beside its reply, though all of them came with EXEC.
    const rows = commands.map((command, i) => ({ what: command.join(' '), reply: textOf(values[i]) }));
    return {
      reply: failed ?? values,
      rows: [{ what: 'MULTI', reply: 'OK' }, ...rows, { what: 'EXEC', reply: textOf(values) }],
    };
  };
}

export function subscribes(ear: Ear, channel: string, hear: (text: string) => void): Wish {
  return async () => {
    await ear.subscribe(channel, hear);
    return { reply: undefined, rows: [{ what: 'SUBSCRIBE', reply: 'OK' }] };
  };
}

export function readsClock(now: () => number): Wish {
  return async () => ({ reply: now(), rows: [{ what: `reads its clock: ${now()}`, reply: '' }] });
}
