import { afterEach, describe, expect, test, vi } from 'vitest';
import { unpackSuite } from '../src/debian-suite.ts';
import { findServer, listServers, tryFindServer } from '../src/servers.ts';
import { startServer } from '../src/start-server.ts';

afterEach(() => vi.unstubAllEnvs());

test('a server is found on this machine, with its name and version', async () => {
  const server = await findServer();
  expect(server?.label).toMatch(/^(Redis|Valkey) \d+\.\d+\.\d+$/);
});

test('a program named in HOLDFAST_TEST_SERVERS is listed, or missing with a reason', async () => {
  const own = await findServer();
  vi.stubEnv('HOLDFAST_TEST_SERVERS', `${process.execPath}, no-such-program`);
  const { servers, missing } = await listServers();
  expect(servers).toEqual([own]);
  expect(missing).toEqual([
    { what: process.execPath, why: expect.stringContaining('--version said') },
    { what: 'no-such-program', why: expect.stringContaining('ENOENT') },
  ]);
});

test('none stands for a machine without servers', async () => {
  vi.stubEnv('HOLDFAST_TEST_SERVERS', 'none');
  expect(await listServers()).toEqual({ servers: [], missing: [] });
  expect(await tryFindServer()).toEqual({ why: 'HOLDFAST_TEST_SERVERS is none' });
  await expect(startServer()).rejects.toThrow(
    'no Redis or Valkey server to start: HOLDFAST_TEST_SERVERS is none',
  );
});

test('a suite that is not there is a reason, not an exception', async () => {
  expect(await unpackSuite('no-such-suite')).toEqual({
    why: expect.stringMatching(/no-such-suite|no apt-get/),
  });
  expect(await unpackSuite('../etc')).toEqual({ why: '"../etc" is not the name of a suite' });
});

/* With HOLDFAST_TEST_SERVERS=all these are the newer ones too. */
const { servers, missing } = await listServers();

test('every server asked for is there', () => expect(missing).toEqual([]));

describe.each(servers)('$label', (binary) => {
  test('starts, is the version it says, can have its clock shifted, and ends', async () => {
    await using server = await startServer({ binary, clockShift: true });
    await server.shiftClock(30_000);
    const [seconds] = (await server.command('TIME')) as string[];
    expect(Math.abs(Number(seconds) - Date.now() / 1000 - 30)).toBeLessThan(2);
    expect(await server.command('INFO', 'server')).toContain(binary.version);
  });
});
