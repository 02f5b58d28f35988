/** The lab's own server. Never one that is in use: it is emptied before every order. */
import { type Cleanup, UsageError } from '@holdfast/example-common';
import { type ServerBinary, startServer, tryFindServer } from '@holdfast/testkit';
import { connections, type OwnConnections } from '../explore/connections.ts';
import { warmUp } from '../steps/warm-up.ts';

export interface OwnServer {
  /** "Redis 7.0.15". */
  readonly label: string;
  readonly connections: OwnConnections;
}

export async function ownServer(cleanup: Cleanup): Promise<OwnServer> {
  const starting = startServer({ binary: await findOwnServer() });
  cleanup.add(async () => (await starting).shutdown()); // also when the end comes before it has started
  const { port, binary } = await starting;
  const own = connections(port);
  cleanup.add(() => own[Symbol.dispose]());
  await warmUp(own.own);
  return {
    label: binary.label,
    connections: own,
  };
}

/** @throws UsageError when there is none */
export async function findOwnServer(): Promise<ServerBinary> {
  const found = await tryFindServer();
  if ('server' in found) return found.server;
  throw new UsageError(
    `The lab needs a server of its own, and none can be had: ${found.why}. Put a redis-server or valkey-server on the PATH.`,
  );
}
