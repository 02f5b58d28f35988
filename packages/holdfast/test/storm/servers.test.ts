/** The semaphore's storm, by four clients at a time, on every further server version that can be had here. */
import { it } from 'vitest';
import { listServers } from '../../../testkit/src/index.ts';
import { semaphoreStorm } from '../suites/semaphore-storm.ts';
import { serverPlace } from '../suites/storm/places.ts';

const { servers, missing } = await listServers();
const further = servers.slice(1);
const titles = ['ioredis 6', 'node-redis 6', 'iovalkey', 'node-redis 5'] as const;

for (const binary of further)
  semaphoreStorm(`four clients on ${binary.label}`, () => serverPlace(titles, { binary }));

for (const { what, why } of missing) it.skip(`NOT RUN: ${what}: ${why}`, () => {});
if (further.length === 0) it.skip('NOT RUN: needs further servers: set HOLDFAST_TEST_SERVERS=all', () => {});
