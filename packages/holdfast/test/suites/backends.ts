/** Backends for the contract: a server, and clients of one kind on it. */
import { type ServerOptions, startServer } from '../../../testkit/src/index.ts';
import { Holdfast } from '../../src/index.ts';
import type { Backend } from './backend.ts';
import { type Address, type ClientName, clients, type Made } from './clients.ts';

/** Instances with a client each from `make`, all ended together. */
export function backendOf(make: () => Promise<Made>, endServer: () => Promise<unknown>): Backend {
  const made: Made[] = [];
  return {
    open: async (options) => {
      const one = await make();
      made.push(one);
      return new Holdfast(one.client, options);
    },
    end: async () => {
      await Promise.all(made.map((one) => one.end()));
      await endServer();
    },
  };
}

export async function serverBackend(
  name: ClientName,
  clientOptions: object = {},
  serverOptions: ServerOptions = {},
): Promise<Backend> {
  const server = await startServer(serverOptions);
  const address: Address = {
    port: server.port,
    ...(serverOptions.password !== undefined && { password: serverOptions.password }),
    ...(server.tls !== undefined && { ca: server.tls.ca }),
  };
  return backendOf(
    () => clients[name](address, clientOptions),
    () => server.shutdown(),
  );
}
