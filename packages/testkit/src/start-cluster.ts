/*
 * Forms a cluster the way `redis-cli --cluster create` does, over the kit's own connections: epochs, slots, MEET,
 * and REPLICATE once everybody knows everybody.
 */
import { Cluster, type ClusterNode } from './cluster.ts';
import type { RedisProcess } from './redis-process.ts';
import { masterAuth } from './replica.ts';
import { type Reply, ReplyError } from './resp-parser.ts';
import type { GroupServerOptions, ServerOptions } from './server-config.ts';
import { SLOTS, type SlotRange, splitSlots } from './slots.ts';
import { startServers } from './start-server.ts';
import { eventually } from './wait.ts';

export interface ClusterOptions {
  /** Default 3, the fewest that can agree on a fail-over. */
  masters?: number;
  /** Default 1. */
  replicasPerMaster?: number;
  /** Default 1000. */
  nodeTimeoutMs?: number;
  /** Whether all slots stop if one has no master. Default true, as a server's. */
  requireFullCoverage?: boolean;
  /** For every node. */
  server?: GroupServerOptions;
}

/** Starts the nodes and resolves when all of them say that the cluster works. */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const { masters = 3, replicasPerMaster = 1 } = options;
  const servers = await startServers(masters * (1 + replicasPerMaster), nodeOptions(options));
  try {
    const nodes = await Promise.all(servers.map((server, i) => describe(server, i, masters)));
    await form(nodes, masters);
    const cluster = new Cluster(nodes, masters);
    await cluster.settled();
    await eventually(() => isKnownToAll(nodes, masters), {
      withinMs: 15_000,
      what: 'every node knows every role',
    });
    return cluster;
  } catch (error) {
    await Promise.all(servers.map((server) => server.shutdown()));
    throw error;
  }
}

function nodeOptions({
  nodeTimeoutMs = 1_000,
  requireFullCoverage = true,
  server = {},
}: ClusterOptions): ServerOptions {
  const lines = [
    'cluster-enabled yes',
    'repl-ping-replica-period 1',
    `cluster-node-timeout ${nodeTimeoutMs}`,
    `cluster-require-full-coverage ${requireFullCoverage ? 'yes' : 'no'}`,
    ...masterAuth(server),
  ];
  return { ...server, lines: [...lines, ...(server.lines ?? [])] };
}

async function describe(server: RedisProcess, index: number, masters: number): Promise<ClusterNode> {
  const id = String(await server.command('CLUSTER', 'MYID'));
  return index < masters ? { server, id } : { server, id, masterIndex: index % masters };
}

/** Distinct epochs beforehand: masters that met with the same one would first have to settle which is right. */
async function form(nodes: ClusterNode[], masters: number): Promise<void> {
  for (const [i, { server }] of nodes.entries()) await server.command('CLUSTER', 'SET-CONFIG-EPOCH', i + 1);
  for (const [i, range] of splitSlots(masters).entries()) await addSlots(nodes[i], range);
  await introduce(nodes);
  for (const node of nodes) await follow(node, nodes);
}

async function addSlots(node: ClusterNode | undefined, { from, to }: SlotRange): Promise<void> {
  try {
    await node?.server.command('CLUSTER', 'ADDSLOTSRANGE', from, to);
  } catch (error) {
    if (!(error instanceof ReplyError)) throw error;
    const slots = Array.from({ length: to - from + 1 }, (_, i) => from + i);
    await node?.server.command('CLUSTER', 'ADDSLOTS', ...slots); // servers before 7.0
  }
}

async function introduce(nodes: ClusterNode[]): Promise<void> {
  const [first, ...others] = nodes;
  for (const { server } of others) await first?.server.command('CLUSTER', 'MEET', '127.0.0.1', server.port);
  const all = () => Promise.all(nodes.map(({ server }) => server.command('CLUSTER', 'NODES')));
  const known = (text: unknown) =>
    nodes.every(({ id }) => String(text).includes(id)) && !/handshake/.test(String(text));
  await eventually(async () => (await all()).every(known), { withinMs: 30_000, what: 'all nodes have met' });
}

async function follow({ server, masterIndex }: ClusterNode, nodes: ClusterNode[]): Promise<void> {
  if (masterIndex !== undefined) await server.command('CLUSTER', 'REPLICATE', nodes[masterIndex]?.id ?? '');
}

/**
 * A client may ask any node for the map of the cluster, so each one has to know the whole of it. A replica is on the map
 * once its replication offset has moved, therefore masters ping theirs every second.
 */
async function isKnownToAll(nodes: ClusterNode[], masters: number): Promise<boolean> {
  const maps = await Promise.all(nodes.map(({ server }) => server.command('CLUSTER', 'SLOTS')));
  return maps.every((map) => {
    const ranges = map as Reply[][];
    const owners = ranges.map(([, , ...servers]) => servers.length);
    const slots = ranges.map(([from, to]) => Number(to) - Number(from) + 1);
    return sum(owners) === nodes.length && owners.length === masters && sum(slots) === SLOTS;
  });
}

const sum = (numbers: number[]) => numbers.reduce((total, n) => total + n, 0);
