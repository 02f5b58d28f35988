/** Servers for a storm to pass over. */
import { type ServerOptions, startCluster, startServer } from '../../../../testkit/src/index.ts';
import { type ClientName, clients, clusters } from '../clients.ts';
import type { Place } from '../semaphore-storm.ts';

export async function serverPlace(
  titles: readonly [ClientName, ClientName, ClientName, ClientName],
  options: ServerOptions = {},
): Promise<Place> {
  const server = await startServer(options);
  const { port } = server;
  return { titles, ports: [port], open: () => clients[titles[0]]({ port }), end: () => server.shutdown() };
}

export async function clusterPlace(title: string): Promise<Place> {
  const make = clusters[title];
  if (make === undefined) throw new Error(`there is no cluster client ${title}`);
  const cluster = await startCluster({ masters: 3, replicasPerMaster: 0 });
  const { ports } = cluster;
  const titles = [title, title, title, title];
  return { titles, ports, open: () => make(ports), end: () => cluster.shutdown() };
}
