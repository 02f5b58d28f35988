/** Addresses: every form reaches its server, and no password is ever printed. */
import { afterAll, describe, expect, test } from 'vitest';
import { freePort, startCluster, startSentinel, startServer } from '../../testkit/src/index.ts';
import { parsePlace, splitUrls } from '../src/connect/place.ts';
import { run } from './support/cli.ts';

const ends: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const end of ends) await end();
});

const TOKEN = ['run', 'x', '--', 'sh', '-c', 'echo $HOLDFAST_FENCING_TOKEN'];
const SECRET = 'p@ss/w:rd%';
const ENCODED = encodeURIComponent(SECRET);

async function works(url: string, env?: Record<string, string>): Promise<void> {
  const { code, stdout, stderr } = await run(url, TOKEN, { ...(env && { env }) });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(Number(stdout)).toBeGreaterThan(1.7e15);
}

describe('every form works', () => {
  test('redis:// with a password and a database', async () => {
    const server = await startServer({ password: SECRET });
    ends.push(() => server.shutdown());
    await works(`redis://:${ENCODED}@127.0.0.1:${server.port}/3`);
    await works(`redis://default:${ENCODED}@127.0.0.1:${server.port}`);
  });

  test('rediss://, whose certificate is checked', async () => {
    const server = await startServer({ tls: true });
    ends.push(() => server.shutdown());
    const url = `rediss://127.0.0.1:${server.port}`;
    await works(url, { NODE_EXTRA_CA_CERTS: server.tls?.certFile ?? '' });
    const { code, stderr } = await run(url, TOKEN);
    expect(code).toBe(69);
    expect(stderr).toMatch(/self-signed certificate/);
  });

  test('a unix socket, as unix:// or as a path', async () => {
    const server = await startServer({ unixSocket: true });
    ends.push(() => server.shutdown());
    await works(`unix://${server.socketPath}?db=2`);
    await works(server.socketPath ?? '');
  });

  test('redis-sentinel://', async () => {
    const group = await startSentinel();
    ends.push(() => group.shutdown());
    const hosts = group.sentinelPorts.map((port) => `127.0.0.1:${port}`).join(',');
    const name = String((await group.sentinels[0]?.command('SENTINEL', 'MASTERS')) ?? '').split(',')[1];
    await works(`redis-sentinel://${hosts}/${name}`);
    const { code, stderr } = await run(`redis-sentinel://${hosts}/nobody`, TOKEN);
    expect(code).toBe(69);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  test('redis-cluster://', async () => {
    const cluster = await startCluster({ replicasPerMaster: 0 });
    ends.push(() => cluster.shutdown());
    await works(`redis-cluster://127.0.0.1:${cluster.ports[1]}`);
  });
});

describe('what does not work is told in one line, without the password', () => {
  const one = async (url: string, code: number, sentence: RegExp, verb = TOKEN) => {
    for (const json of [false, true]) {
      const ended = await run(url, json ? [...verb.slice(0, 1), '--json', ...verb.slice(1)] : verb);
      expect(ended).toMatchObject({ code, stdout: '' });
      expect(ended.stderr).toMatch(sentence);
      expect(ended.stderr.trim().split('\n')).toHaveLength(1);
      for (const secret of [SECRET, ENCODED, 'hunter2']) expect(ended.stderr).not.toContain(secret);
    }
  };

  test('nobody listens', async () => {
    const port = await freePort();
    await one(
      `redis://:${ENCODED}@127.0.0.1:${port}`,
      69,
      /cannot connect to redis:\/\/127\.0\.0\.1:\d+: nobody listens there/,
    );
    await one(`redis-cluster://:${ENCODED}@127.0.0.1:${port}`, 69, /cannot connect to/);
    await one(`unix:///nowhere/redis.sock`, 69, /no such socket/);
  });

  test('a wrong password, a missing one', async () => {
    const server = await startServer({ password: SECRET });
    ends.push(() => server.shutdown());
    await one(`redis://:hunter2@127.0.0.1:${server.port}`, 77, /wants another password/);
    await one(`redis://127.0.0.1:${server.port}`, 77, /wants another password/);
    await one(`redis://127.0.0.1:${server.port}`, 77, /wants another password/, ['ls']);
  });

  test('an address that is none', async () => {
    await one(`http://me:hunter2@127.0.0.1`, 64, /is no address of a server/);
    await one('redis://me:hunter2@:6379', 64, /a host is missing/);
    await one(
      'me:hunter2@127.0.0.1:6379',
      64,
      /none of the known forms; write redis:\/\/\[USER:PASSWORD@\]HOST/,
    );
    await one('hunter2@127.0.0.1', 64, /none of the known forms/);
    await one('redis://me:a@hunter2@127.0.0.1:99999', 64, /a port is a number/);
    await one('redis://127.0.0.1?password=hunter2', 64, /a password stands before an @/);
  });

  test('a word of the command line that is none', async () => {
    for (const words of [
      ['redis://:hunter2@h'],
      ['ls', 'x', 'redis://:a@hunter2@h'],
      ['ls', '--walk=redis://:hunter2@h'],
    ]) {
      const { code, stderr } = await run('', words);
      expect(code).toBe(64);
      expect(stderr).not.toContain('hunter2');
    }
  });
});

describe('parsePlace', () => {
  test.each([
    ['redis://h', { kind: 'server', addresses: [{ host: 'h', port: 6379 }], db: 0, tls: false }],
    ['rediss://u:p%40w@h:1/5', { tls: true, username: 'u', password: 'p@w', db: 5, shown: 'rediss://h:1/5' }],
    ['redis://[::1]:7000', { addresses: [{ host: '::1', port: 7000 }] }],
    ['redis://:a@b@h', { password: 'a@b', addresses: [{ host: 'h', port: 6379 }] }],
    ['/run/redis.sock', { kind: 'socket', path: '/run/redis.sock' }],
    [
      'redis-sentinel://a,b:1/main/2',
      {
        kind: 'sentinel',
        master: 'main',
        db: 2,
        addresses: [
          { host: 'a', port: 26379 },
          { host: 'b', port: 1 },
        ],
      },
    ],
    ['rediss-cluster://a:1,b:2', { kind: 'cluster', tls: true }],
  ])('%s', (url, place) => {
    expect(parsePlace(url)).toMatchObject(place);
  });

  test.each([
    '',
    'h:6379',
    'redis://',
    'redis://h:0',
    'redis://h:99999',
    'redis://h/x',
    'redis://a,b',
    'redis-sentinel://a',
    'unix://x',
    'redis://%zz:p@h',
  ])('%j is refused', (url) =>
    expect(() => parsePlace(url)).toThrow(/is no address of a server: .*; write redis:/),
  );

  test('a list is parted between addresses, not within', () => {
    expect(splitUrls('redis://a,redis-sentinel://b:1,c:2/m,/run/x.sock')).toEqual([
      'redis://a',
      'redis-sentinel://b:1,c:2/m',
      '/run/x.sock',
    ]);
  });
});
