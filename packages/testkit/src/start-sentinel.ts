import type { RedisProcess } from './redis-process.ts';
import { masterAuth, startReplica } from './replica.ts';
import { MASTER_NAME, SentinelGroup } from './sentinel.ts';
import { type GroupServerOptions, quoted, type ServerOptions } from './server-config.ts';
import { startServer, startServers } from './start-server.ts';

export interface SentinelOptions {
  /** Default 1. */
  replicas?: number;
  /** Default 3. */
  sentinels?: number;
  /** How many Sentinels must miss the master. Default: a majority of them. */
  quorum?: number;
  /** Default 500. */
  downAfterMs?: number;
  /** For the master and the replicas. */
  server?: GroupServerOptions;
}

/** Starts a master, its replicas and Sentinels, and resolves when every Sentinel knows all the others. */
export async function startSentinel(options: SentinelOptions = {}): Promise<SentinelGroup> {
  const { replicas = 1, sentinels = 3, server = {} } = options;
  const group = new SentinelGroup(sentinels);
  try {
    await startReplication(group, replicas, server);
    const lines = sentinelLines(group.master, options);
    const { binary } = group.master;
    group.sentinels.push(...(await startServers(sentinels, { binary, sentinel: true, lines })));
    await group.settled();
    return group;
  } catch (error) {
    await group.shutdown();
    throw error;
  }
}

/** The master too knows the password of masters: after a fail-over it is a replica. */
async function startReplication(
  group: SentinelGroup,
  replicas: number,
  server: ServerOptions,
): Promise<void> {
  const lines = [...masterAuth(server), ...(server.lines ?? [])];
  group.servers.push(await startServer({ ...server, lines }));
  for (let i = 0; i < replicas; i++) group.servers.push(await startReplica(group.master, server));
}

function sentinelLines(master: RedisProcess, options: SentinelOptions): string[] {
  const { sentinels = 3, downAfterMs = 500 } = options;
  const { quorum = Math.floor(sentinels / 2) + 1 } = options;
  const { password } = master.options;
  return [
    `sentinel monitor ${MASTER_NAME} 127.0.0.1 ${master.port} ${quorum}`,
    `sentinel down-after-milliseconds ${MASTER_NAME} ${downAfterMs}`,
    `sentinel failover-timeout ${MASTER_NAME} 2000`,
    ...(password === undefined ? [] : [`sentinel auth-pass ${MASTER_NAME} ${quoted(password)}`]),
  ];
}
