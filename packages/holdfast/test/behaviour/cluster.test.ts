/** A cluster that moves its slots and loses its masters, under load. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Cluster, eventually, keySlot, startCluster } from '../../../testkit/src/index.ts';
import { AcquireTimeoutError, ConnectionError, type Lease } from '../../src/index.ts';
import { clusters } from '../suites/clients.ts';
import { type Instance, instanceOf } from './support/instance.ts';
import { freshName } from './support/server.ts';
import { pass } from './support/time.ts';
import { expectGrowing } from './support/tokens.ts';

const KINDS = ['ioredis 5 Cluster', 'node-redis 6 createCluster'];

let cluster: Cluster;
let instances: Instance[];

beforeAll(async () => {
  cluster = await startCluster();
  instances = await Promise.all(
    KINDS.map(async (kind) => {
      const made = await clusters[kind]?.(cluster.ports);
      if (!made) throw new Error(`there is no client ${kind}`);
      return instanceOf(made, { waitMs: 20_000, commandTimeoutMs: 2_000 });
    }),
  );
}, 60_000);
afterAll(async () => {
  await Promise.all((instances ?? []).map((instance) => instance[Symbol.asyncDispose]()));
  await cluster?.shutdown();
});

/** Both clients at work on one lock, four loops each, and what became of it. */
class Load implements AsyncDisposable {
  readonly tokens: number[] = [];
  readonly failures: unknown[] = [];
  /** Grants while somebody else was inside with a lease that was still good. */
  overlaps = 0;
  grantedAt = performance.now();
  longestGapMs = 0;
  #inside: Lease | undefined;
  #over = false;
  readonly #done: Promise<unknown>;

  constructor(readonly name: string) {
    const loops = [...instances, ...instances, ...instances, ...instances];
    this.#done = Promise.all(loops.map((instance) => this.#loop(instance)));
  }

  async end(): Promise<void> {
    this.#over = true;
    await this.#done;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }

  /** Resolves when this many more grants have been made. */
  async more(count: number): Promise<void> {
    const goal = this.tokens.length + count;
    await eventually(() => this.tokens.length >= goal, {
      withinMs: 15_000,
      everyMs: 5,
      what: `${count} more grants`,
    });
  }

  async #loop({ holdfast }: Instance): Promise<void> {
    const lock = holdfast.lock(this.name, { ttlMs: 3_000 });
    while (!this.#over)
      await lock.use((lease) => this.#visit(lease)).catch((error) => this.failures.push(error));
  }

  async #visit(lease: Lease): Promise<void> {
    const now = performance.now();
    this.longestGapMs = Math.max(this.longestGapMs, now - this.grantedAt);
    this.grantedAt = now;
    if (this.#inside !== undefined && this.#inside.remainingMs() > 0) this.overlaps++;
    this.#inside = lease;
    this.tokens.push(lease.fencingToken);
    await pass(1);
    if (this.#inside === lease) this.#inside = undefined;
  }
}

describe('in a cluster', () => {
  test.each([0, 1])('a hand-off goes by sharded pub/sub, not by a timer, client %i', async (i) => {
    const [here, there] = [instances[i], instances[1 - i]];
    if (!here || !there) throw new Error('two clients');
    const times: number[] = [];
    for (let round = 0; round < 20; round++) {
      // Each in another slot, on any node.
      const name = freshName('hand-off');
      const lease = await there.holdfast.lock(name, { ttlMs: 60_000 }).acquire();
      const waiting = here.holdfast.lock(name).acquire();
      await eventually(async () => (await there.holdfast.inspect(name)).queueLength === 1, { everyMs: 2 });
      const from = performance.now();
      await lease.release();
      const next = await waiting;
      times.push(performance.now() - from);
      await next.release();
    }
    times.sort((a, b) => a - b);
    expect(times[10]).toBeLessThan(20);
    expect(times[19]).toBeLessThan(50 + 50);
  });

  test('a lock works on with the scripts gone from every node, at any moment', async () => {
    const flush = () =>
      Promise.all(cluster.nodes.map(({ server }) => server.command('SCRIPT', 'FLUSH').catch(() => {})));
    await using load = new Load(freshName('flushed'));
    for (let round = 0; round < 10; round++) {
      await flush();
      await load.more(10);
    }
    await load.end();
    expect(load.failures).toEqual([]);
    expect(load.overlaps).toBe(0);
    expectGrowing(load.tokens);
  });

  test('a lock works on while its slot moves to another node and back, and every waiter is served', async () => {
    await using load = new Load(freshName('moving'));
    const slot = keySlot(load.name);
    await load.more(50);
    for (let round = 0; round < 4; round++) {
      const owner = cluster.nodes.indexOf(await cluster.nodeForSlot(slot));
      await cluster.migrateSlot(slot, (owner + 1) % 3);
      await load.more(20);
    }
    await load.end();
    expect(load.failures).toEqual([]);
    expect(load.overlaps).toBe(0);
    expectGrowing(load.tokens);
  });

  test('a lock works on through a planned fail-over of its master', async () => {
    await using load = new Load(freshName('planned'));
    const master = await cluster.nodeForSlot(keySlot(load.name));
    const [replica] = cluster.replicasOf(cluster.nodes.indexOf(master));
    if (!replica) throw new Error('the master has a replica');
    await load.more(50);
    await cluster.failover(replica);
    await load.more(50);
    await load.end();
    expect(load.failures).toEqual([]);
    expect(load.overlaps).toBe(0);
    expectGrowing(load.tokens);
  });

  test('a lock is back within seconds after its master was killed, with greater tokens', async () => {
    await using load = new Load(freshName('killed'));
    const slot = keySlot(load.name);
    const master = await cluster.nodeForSlot(slot);
    await load.more(50);
    await master.server.kill9();
    const promoted = async () => {
      const running = cluster.nodes.find((node) => node !== master && node.server.running);
      return running && (await cluster.nodeForSlot(slot, running)) !== master;
    };
    await eventually(promoted, { withinMs: 15_000, what: 'a replica is promoted' });
    const from = performance.now();
    await load.more(50);
    await load.end();
    // node-redis looks for the new master 5 s after it lost the old one.
    expect(performance.now() - from).toBeLessThan(8_000);
    // A call that was under way when the master died may fail, in a way that says so.
    for (const error of load.failures)
      expect(
        [ConnectionError, AcquireTimeoutError].some((kind) => error instanceof kind),
        String(error),
      ).toBe(true);
    expectGrowing(load.tokens);
  }, 40_000);
});
