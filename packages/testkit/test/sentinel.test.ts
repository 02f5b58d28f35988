import { describe, expect, test } from 'vitest';
import { startReplica } from '../src/replica.ts';
import { listServers } from '../src/servers.ts';
import { startSentinel } from '../src/start-sentinel.ts';
import { startServer } from '../src/start-server.ts';

test('a replica has what its master has', async () => {
  await using master = await startServer({ password: 'secret' });
  await master.command('SET', 'before', 1);
  await using replica = await startReplica(master);
  await master.command('SET', 'after', 2);
  expect(await master.command('WAIT', 1, 1000)).toBe(1);
  expect(await replica.command('MGET', 'before', 'after')).toEqual(['1', '2']);
  await expect(replica.command('SET', 'x', 1)).rejects.toMatchObject({ code: 'READONLY' });
});

describe.each((await listServers()).servers)('Sentinel of $label', (binary) => {
  test.each([1, 2])('a planned fail-over changes the master (%i)', async () => {
    await using group = await startSentinel({ server: { binary } });
    expect(group.sentinelPorts).toHaveLength(3);
    expect(await group.currentMasterPort()).toBe(group.master.port);
    expect(await group.failover()).toBe(group.replica.port);
    expect(await group.replica.command('SET', 'x', 1)).toBe('OK');
  });

  test.each([1, 3])('%i Sentinels replace a master that was killed', async (sentinels) => {
    await using group = await startSentinel({ sentinels, server: { binary, password: 'secret' } });
    await group.master.kill9();
    expect(await group.failedOver(group.master.port)).toBe(group.replica.port);
  });
});
