import type { RedisProcess } from './redis-process.ts';
import type { Reply } from './resp-parser.ts';
import { SlotMigration } from './slot-migration.ts';
import { eventually } from './wait.ts';

export interface ClusterNode {
  server: RedisProcess;
  id: string;
  /** For a node that started as a replica: the index of its master. */
  masterIndex?: number;
}

/** A running cluster. `nodes` has the masters first, then the replicas, by the roles they started with. */
export class Cluster implements AsyncDisposable {
  readonly nodes: ClusterNode[];
  readonly masters: number;

  constructor(nodes: ClusterNode[], masters: number) {
    this.nodes = nodes;
    this.masters = masters;
  }

  get ports(): number[] {
    return this.nodes.map(({ server }) => server.port);
  }

  node(index: number): ClusterNode {
    const node = this.nodes[index];
    if (!node) throw new Error(`there is no node ${index} in this cluster`);
    return node;
  }

  /** The nodes that started as replicas of this master. */
  replicasOf(index: number): ClusterNode[] {
    return this.nodes.filter(({ masterIndex }) => masterIndex === index);
  }

  /** The slot's master now, as seen by a node that runs (by `asked`, if given). */
  async nodeForSlot(slot: number, asked = this.#anyRunning()): Promise<ClusterNode> {
    const ranges = (await asked.server.command('CLUSTER', 'SLOTS')) as Reply[][];
    const range = ranges.find(([from, to]) => Number(from) <= slot && slot <= Number(to));
    const port = (range?.[2] as Reply[] | undefined)?.[1];
    const node = this.nodes.find(({ server }) => server.port === port);
    if (!node) throw new Error(`nobody has slot ${slot}`);
    return node;
  }

  /** Moves a slot with its keys to a master, as a resharding does, and resolves with the number of keys moved. */
  async migrateSlot(slot: number, toIndex: number): Promise<number> {
    const migration = await this.startMigration(slot, toIndex);
    const moved = await migration.moveKeys();
    await migration.finish();
    return moved;
  }

  /** The same in steps: between them, clients are sent to and fro with ASK. */
  async startMigration(slot: number, toIndex: number): Promise<SlotMigration> {
    const migration = new SlotMigration(this, slot, await this.nodeForSlot(slot), this.node(toIndex));
    await migration.begin();
    return migration;
  }

  /** Makes a replica the master in its place, as planned maintenance does. */
  async failover(replica: ClusterNode): Promise<void> {
    await replica.server.command('CLUSTER', 'FAILOVER');
    const what = `the node on port ${replica.server.port} is a master`;
    await eventually(async () => (await ownFlags(replica)).includes('master'), { withinMs: 10_000, what });
  }

  /** Every running node says that the cluster works and knows all nodes. */
  async settled(withinMs = 30_000): Promise<void> {
    const running = () => this.nodes.filter(({ server }) => server.running);
    const all = async () => Promise.all(running().map((node) => isSettled(node, this.nodes.length)));
    await eventually(async () => (await all()).every(Boolean), {
      withinMs,
      everyMs: 50,
      what: 'a working cluster',
    });
  }

  #anyRunning(): ClusterNode {
    const node = this.nodes.find(({ server }) => server.running);
    if (!node) throw new Error('no node runs');
    return node;
  }

  async shutdown(): Promise<void> {
    await Promise.all(this.nodes.map(({ server }) => server.shutdown()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.shutdown();
  }
}

async function isSettled({ server }: ClusterNode, nodes: number): Promise<boolean> {
  const info = String(await server.command('CLUSTER', 'INFO'));
  if (!info.includes('cluster_state:ok') || !info.includes(`cluster_known_nodes:${nodes}\r\n`)) return false;
  return !/master_link_status:down/.test(String(await server.command('INFO', 'replication')));
}

async function ownFlags({ server }: ClusterNode): Promise<string> {
  const nodes = String(await server.command('CLUSTER', 'NODES'));
  return (
    nodes
      .split('\n')
      .find((line) => line.includes('myself'))
      ?.split(' ')[2] ?? ''
  );
}
