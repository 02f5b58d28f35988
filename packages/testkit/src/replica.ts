import type { RedisProcess } from './redis-process.ts';
import { quoted, type ServerOptions } from './server-config.ts';
import { startServer } from './start-server.ts';
import { eventually } from './wait.ts';

/** Starts a replica and resolves when it has the master's data and the master counts on it. */
export async function startReplica(master: RedisProcess, options: ServerOptions = {}): Promise<RedisProcess> {
  const replica = await startServer({
    binary: master.binary,
    ...(master.options.password !== undefined && { password: master.options.password }),
    ...options,
    lines: [`replicaof 127.0.0.1 ${master.port}`, ...masterAuth(master.options), ...(options.lines ?? [])],
  });
  await eventually(() => isLinked(replica), { withinMs: 15_000, what: 'the replica has its master' });
  await eventually(() => isCounted(master, replica), { what: 'the master counts its replica as online' });
  return replica;
}

/** What a server needs to follow one with these options. */
export function masterAuth({ password }: ServerOptions): string[] {
  return password === undefined ? [] : [`masterauth ${quoted(password)}`];
}

/** True if the replica's stream from its master runs. */
async function isLinked(replica: RedisProcess): Promise<boolean> {
  return /master_link_status:up/.test(String(await replica.command('INFO', 'replication')));
}

async function isCounted(master: RedisProcess, replica: RedisProcess): Promise<boolean> {
  const info = String(await master.command('INFO', 'replication'));
  return info.includes(`port=${replica.port},state=online`);
}

export async function roleOf(server: RedisProcess): Promise<string> {
  const role = await server.command('ROLE');
  return Array.isArray(role) ? String(role[0]) : '';
}
