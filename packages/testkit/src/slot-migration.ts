import type { Cluster, ClusterNode } from './cluster.ts';
import { eventually } from './wait.ts';

const BATCH = 100;
const MIGRATE_MS = 5_000;

/** One slot on its way from a master to another one. */
export class SlotMigration {
  readonly #cluster: Cluster;
  readonly slot: number;
  readonly source: ClusterNode;
  readonly target: ClusterNode;

  constructor(cluster: Cluster, slot: number, source: ClusterNode, target: ClusterNode) {
    if (source === target) throw new Error(`slot ${slot} is already there`);
    this.#cluster = cluster;
    this.slot = slot;
    this.source = source;
    this.target = target;
  }

  /** The target first: the source sends clients there as soon as it is migrating. */
  async begin(): Promise<void> {
    await this.target.server.command('CLUSTER', 'SETSLOT', this.slot, 'IMPORTING', this.source.id);
    await this.source.server.command('CLUSTER', 'SETSLOT', this.slot, 'MIGRATING', this.target.id);
  }

  /** Moves the keys that are there, and resolves with how many. May be called again. */
  async moveKeys(): Promise<number> {
    let moved = 0;
    for (;;) {
      const keys = await this.source.server.command('CLUSTER', 'GETKEYSINSLOT', this.slot, BATCH);
      if (!Array.isArray(keys) || keys.length === 0) return moved;
      await this.#migrate(keys.map(String));
      moved += keys.length;
    }
  }

  async #migrate(keys: string[]): Promise<void> {
    const { port, options } = this.target.server;
    const auth = options.password === undefined ? [] : ['AUTH', options.password];
    const target = ['127.0.0.1', port, '', 0, MIGRATE_MS, ...auth];
    await this.source.server.command('MIGRATE', ...target, 'KEYS', ...keys);
  }

  /** Gives the slot to the target and resolves when every running node knows. */
  async finish(): Promise<void> {
    for (const { server } of [this.target, this.source])
      await server.command('CLUSTER', 'SETSLOT', this.slot, 'NODE', this.target.id);
    const what = `every node knows where slot ${this.slot} is`;
    await eventually(() => this.#isKnown(), { withinMs: 10_000, what });
  }

  async #isKnown(): Promise<boolean> {
    const running = this.#cluster.nodes.filter(({ server }) => server.running);
    const owners = await Promise.all(running.map((node) => this.#cluster.nodeForSlot(this.slot, node)));
    return owners.every((owner) => owner === this.target);
  }
}
