import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Cluster } from '../src/cluster.ts';
import { listServers } from '../src/servers.ts';
import { keySlot } from '../src/slots.ts';
import { startCluster } from '../src/start-cluster.ts';
import { eventually } from '../src/wait.ts';

/** A key in the middle of master 1's slots, none of which moves here. */
const IN_SLOT_8000 = 'key2437';

describe.each((await listServers()).servers)('a cluster of $label', (binary) => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster({ requireFullCoverage: false, server: { binary } });
  }, 60_000);
  afterAll(() => cluster.shutdown());

  test('has three masters with a replica each, and every node knows them', async () => {
    expect(cluster.ports).toHaveLength(6);
    for (const { server } of cluster.nodes) {
      const ranges = (await server.command('CLUSTER', 'SLOTS')) as unknown[][];
      expect(ranges.map((range) => range.length)).toEqual([4, 4, 4]); // from, to, master, replica
    }
    expect(cluster.replicasOf(1).map(({ masterIndex }) => masterIndex)).toEqual([1]);
  });

  test.each([1, 2, 0])('a slot moves to master %i with its keys', async (to) => {
    const slot = keySlot('{moving}');
    const source = await cluster.nodeForSlot(slot);
    const target = cluster.node(to);
    const sets = Array.from({ length: 250 }, (_, i) => ['SET', `{moving}${i}`, i]);
    await source.server.pipeline(sets);
    expect(await cluster.migrateSlot(slot, to)).toBe(250);
    expect(await target.server.command('GET', '{moving}249')).toBe('249');
    await expect(source.server.command('GET', '{moving}1')).rejects.toThrow(
      `MOVED ${slot} 127.0.0.1:${target.server.port}`,
    );
  });

  test('a migration in steps sends clients there with ASK', async () => {
    const key = 'stepwise';
    const slot = keySlot(key);
    const source = await cluster.nodeForSlot(slot);
    const to = (cluster.nodes.indexOf(source) + 1) % 3;
    const migration = await cluster.startMigration(slot, to);
    await expect(source.server.command('GET', key)).rejects.toMatchObject({ code: 'ASK' });
    await migration.finish();
    expect(await cluster.nodeForSlot(slot)).toBe(cluster.node(to));
  });

  test('a replica takes over when asked, and another one when its master is killed', async () => {
    const [first] = cluster.replicasOf(0);
    if (first) await cluster.failover(first);
    const [second] = cluster.replicasOf(1);
    await cluster.node(1).server.kill9();
    const set = () => second?.server.command('SET', IN_SLOT_8000, 1);
    expect(await eventually(set, { withinMs: 10_000 })).toBe('OK');
  }, 20_000);
});
