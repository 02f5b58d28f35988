/**
 * The contract on every server version that can be had here: the machine's own (in the other files), and those that
 * HOLDFAST_TEST_SERVERS names (`all` for Debian's newer suites).
 */
import { expect, it } from 'vitest';
import { listServers } from '../../../testkit/src/index.ts';
import { serverBackend } from '../suites/backends.ts';
import { contract } from '../suites/contract.ts';

const { servers, missing } = await listServers();

it('says which servers ran', () => {
  for (const { what, why } of missing) console.warn(`\nNOT RUN: ${what}: ${why}\n`);
  console.info(`\nServers: ${servers.map(({ label }) => label).join(', ')}; Node ${process.version}\n`);
  expect(servers.length).toBeGreaterThan(0);
});

for (const binary of servers.slice(1)) {
  for (const client of ['ioredis 5', 'node-redis 6', 'iovalkey'] as const) {
    contract(`${client} on ${binary.label}`, () => serverBackend(client, {}, { binary }));
  }
}
