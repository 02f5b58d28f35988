/** What happens to the server's connections and state while it goes on. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Arena, aLease, aLeaseAndReconnect, type Fault } from './fault.ts';

const every = (arena: Arena, ...command: string[]) =>
  Promise.all(arena.servers.map((server) => server.command(...command)));

function clientKill(type: 'normal' | 'pubsub', what: string): Fault {
  return {
    what,
    graceMs: aLeaseAndReconnect,
    async strike(arena, random) {
      for (let time = 0; time < 2; time++) {
        await every(arena, 'CLIENT', 'KILL', 'TYPE', type, 'SKIPME', 'yes');
        await sleep(random.between(50, 450));
      }
      return {};
    },
  };
}

export const killConnections = clientKill('normal', 'CLIENT KILL TYPE normal, twice');
export const killSubscriptions = clientKill('pubsub', 'CLIENT KILL TYPE pubsub, twice');

export const pauseClients: Fault = {
  what: 'CLIENT PAUSE 100 to 600 ms',
  graceMs: aLeaseAndReconnect,
  async strike(arena, random) {
    const ms = Math.round(random.between(100, 600));
    await every(arena, 'CLIENT', 'PAUSE', String(ms), random.pick(['ALL', 'WRITE']));
    await sleep(ms);
    return {};
  },
};

export const flushScripts: Fault = {
  what: 'SCRIPT FLUSH',
  graceMs: () => 0,
  async strike(arena) {
    await every(arena, 'SCRIPT', 'FLUSH');
    return {};
  },
};

export const stopServer: Fault = {
  what: 'server stopped past the ttl (SIGSTOP)',
  graceMs: aLeaseAndReconnect,
  alone: true,
  async strike({ servers, ttlMs }, random) {
    for (const server of servers) server.stop();
    await sleep(ttlMs * random.between(1.1, 1.8));
    for (const server of servers) server.cont();
    return {};
  },
};

export const stopNode: Fault = {
  what: 'one node stopped past the ttl (SIGSTOP)',
  graceMs: aLeaseAndReconnect,
  alone: true,
  async strike({ servers, ttlMs }, random) {
    const node = random.pick(servers);
    node.stop();
    await sleep(ttlMs * random.between(1.1, 1.8));
    node.cont();
    return {};
  },
};

export const flushAll: Fault = {
  what: 'FLUSHALL',
  graceMs: aLease,
  alone: true,
  erasing: true,
  async strike(arena) {
    await every(arena, 'FLUSHALL');
    return {};
  },
};
