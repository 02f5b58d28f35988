/** The servers of a run, and the ways of the workers to them. */
import {
  type Cluster,
  type RedisProcess,
  type SentinelGroup,
  type ServerOptions,
  startProxy,
  startServers,
  type TcpProxy,
} from '@holdfast/testkit';
import type { Place } from '../place.ts';

export interface Stage extends AsyncDisposable {
  readonly servers: readonly RedisProcess[];
  /** By worker; none where they go straight. */
  readonly ways: readonly (readonly TcpProxy[])[];
  placeOf(worker: number): Place;
  /** Straight to the servers, for what is left at the end. */
  readonly straight: Place;
  /** Other programs are connected to these servers, and listen there: Sentinels, the nodes of a cluster. */
  readonly shared?: true;
}

export interface StageOptions extends ServerOptions {
  /** More than one: the nodes of a quorum. */
  readonly nodes?: number;
  /** So many workers go through proxies of their own. */
  readonly farWorkers?: number;
}

/** One server, or a quorum of independent ones. */
export async function stageOf({ nodes = 1, farWorkers = 0, ...options }: StageOptions = {}): Promise<Stage> {
  const servers = await startServers(nodes, options);
  const waysOfOne = () => Promise.all(servers.map(({ port }) => startProxy({ port })));
  const ways = await Promise.all(Array.from({ length: farWorkers }, waysOfOne));
  return {
    servers,
    ways,
    straight: placeAt(servers),
    placeOf: (worker) => placeAt(ways[worker] ?? servers),
    async [Symbol.asyncDispose]() {
      await Promise.all(ways.flat().map((way) => way.shutdown()));
      await Promise.all(servers.map((server) => server.shutdown()));
    },
  };
}

export function sentinelStage(group: SentinelGroup): Stage {
  const place = { kind: 'sentinel', ports: group.sentinelPorts, master: group.masterName } as const;
  return sharedStage(place, group.servers, group);
}

export function clusterStage(cluster: Cluster): Stage {
  const servers = cluster.nodes.map(({ server }) => server);
  return sharedStage({ kind: 'cluster', ports: servers.map(({ port }) => port) }, servers, cluster);
}

function sharedStage(place: Place, servers: readonly RedisProcess[], all: AsyncDisposable): Stage {
  const dispose = () => all[Symbol.asyncDispose]();
  return {
    servers,
    ways: [],
    straight: place,
    placeOf: () => place,
    shared: true,
    [Symbol.asyncDispose]: dispose,
  };
}

function placeAt(all: readonly { readonly port: number }[]): Place {
  const [first, ...others] = all.map(({ port }) => port);
  if (first === undefined) throw new RangeError('there is no server');
  return others.length === 0
    ? { kind: 'single', ports: [first] }
    : { kind: 'quorum', ports: [first, ...others] };
}
