/** The same contract on three independent servers, with the same client for each, and with one of each kind. */
import { startServer } from '../../../testkit/src/index.ts';
import type { Backend } from '../suites/backend.ts';
import { backendOf } from '../suites/backends.ts';
import { type ClientName, clients } from '../suites/clients.ts';
import { contract } from '../suites/contract.ts';

async function quorumBackend(names: readonly ClientName[]): Promise<Backend> {
  const servers = await Promise.all(names.map(() => startServer()));
  const make = async () => {
    const made = await Promise.all(names.map((name, i) => clients[name]({ port: servers[i]?.port ?? 0 })));
    return {
      client: made.map(({ client }) => client),
      end: async () => void (await Promise.all(made.map((one) => one.end()))),
    };
  };
  return backendOf(make, () => Promise.all(servers.map((server) => server.shutdown())));
}

const QUORUMS: readonly (readonly ClientName[])[] = [
  ['ioredis 5', 'ioredis 5', 'ioredis 5'],
  ['ioredis 6', 'node-redis 6', 'iovalkey'],
];

for (const names of QUORUMS) contract(`quorum of ${names.join(', ')}`, () => quorumBackend(names), 'any');
