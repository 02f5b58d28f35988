/** What a server refuses for a while, although it is there. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { RedisProcess } from '@holdfast/testkit';
import type { Random } from '../random.ts';
import { aLeaseAndReconnect, type Fault } from './fault.ts';

type Step = (server: RedisProcess) => Promise<unknown>;

/** From the one to the other step it refuses. */
function refusing(
  what: string,
  begin: Step,
  end: Step,
  lasts: (random: Random) => number,
  more: Partial<Fault> = {},
): Fault {
  return {
    ...more,
    what,
    graceMs: aLeaseAndReconnect,
    alone: true,
    async strike({ servers }, random) {
      for (const server of servers) await begin(server);
      await sleep(lasts(random));
      for (const server of servers) await end(server);
      return {};
    },
  };
}

const short = (random: Random) => random.between(80, 250);

export const outOfMemory = refusing(
  'out of memory (noeviction)',
  (server) => server.command('CONFIG', 'SET', 'maxmemory', '1'),
  (server) => server.command('CONFIG', 'SET', 'maxmemory', '0'),
  short,
);

/** Its master is nobody, so that it keeps what it has. */
export const readOnly = refusing(
  'READONLY: made a replica for a while',
  (server) => server.command('REPLICAOF', '127.0.0.1', '1'),
  (server) => server.command('REPLICAOF', 'NO', 'ONE'),
  short,
);

export const noPermission = refusing(
  'ACL: no right to the keys for a while',
  (server) => server.command('ACL', 'SETUSER', 'default', 'resetkeys', '~nothing:*'),
  (server) => server.command('ACL', 'SETUSER', 'default', '~*'),
  short,
);

/** A clock that steps forward ends leases early; so does the way back from a step back. */
const STEPS = { erasing: true } as const;

/** Its clock, in ms from the true time: it jumps there and, at the end, back. */
export const clockForward = refusing(
  'clock of the server +30 s, and back',
  (server) => server.shiftClock(30_000),
  (server) => server.shiftClock(0),
  (random) => random.between(300, 600),
  STEPS,
);

export const clockBack = refusing(
  'clock of the server −60 s, and forward again',
  (server) => server.shiftClock(-60_000),
  (server) => server.shiftClock(0),
  (random) => random.between(300, 600),
  STEPS,
);
