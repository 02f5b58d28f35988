/** That the benchmark runs, not how fast. */
import { startServers } from '@holdfast/testkit';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { measureAlone } from '../src/quorum/alone.ts';
import type { Contender } from '../src/quorum/contender.ts';
import { contended, contenders } from '../src/quorum/contenders.ts';
import { aloneTable, contendedTable } from '../src/quorum/table.ts';

type ContendedModule = typeof import('../src/quorum/contended.ts');

let servers: Awaited<ReturnType<typeof startServers>>;

beforeAll(async () => {
  servers = await startServers(3, {});
});

afterAll(() => Promise.all(servers.map((server) => server.shutdown())));

// Holdfast joins when it takes several clients.

test('every contender locks a free lock on three servers', async () => {
  const nodes = servers.map(({ port }) => new Redis({ port }));
  const results = await measureAlone(nodes, contenders, 2, 3);
  for (const node of nodes) node.disconnect();
  for (const result of results) expect(result).toMatchObject({ pairUs: expect.any(Number) });
  expect(aloneTable(results)).toHaveLength(results.length + 1);
});

test('a contender that cannot lock says so, and the others are measured', async () => {
  const broken: Contender = {
    id: 'broken',
    label: 'broken',
    open: () => Promise.reject(new Error('no luck')),
  };
  const results = await measureAlone([], [broken, { ...broken, open: idle }], 1, 1);
  expect(results).toMatchObject([{ failed: 'no luck' }, { pairUs: expect.any(Number) }]);
  expect(aloneTable(results)[1]).toContain('did not run: no luck');
});

test('waiters in several processes take turns, and nobody overlaps', async () => {
  // The workers are started from what the build made.
  const built = new URL('../dist/quorum/contended.js', import.meta.url).href;
  const { measureContended } = (await import(built)) as ContendedModule;
  const chosen = contended.filter(({ id }) => id === 'redis-semaphore');
  const ports = servers.map(({ port }) => port);
  const crowd = { processes: 2, workers: 2, holdMs: 1, runMs: 200 };
  const results = await Promise.all(chosen.map((one) => measureContended(one, ports, crowd)));
  expect(results).toMatchObject([{ violations: 0, acquisitions: expect.any(Number) }]);
  expect(contendedTable(results)).toHaveLength(2);
});

const idle: Contender['open'] = async () => ({ acquire: async () => async () => {} });
