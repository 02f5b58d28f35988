import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RedisProcess } from '../src/redis-process.ts';
import { connectResp } from '../src/resp.ts';
import { startServer } from '../src/start-server.ts';
import { eventually, freePort } from '../src/wait.ts';
import { isAlive } from './is-alive.ts';

const SECRET = 'p: "#w@rd';

describe('a server', () => {
  let server: RedisProcess;
  beforeAll(async () => {
    server = await startServer({ appendonly: true, password: SECRET, unixSocket: true });
  });
  afterAll(() => server.shutdown());

  test('is told by its url, and asks for its password', async () => {
    expect(server.url).toBe(`redis://:${encodeURIComponent(SECRET)}@127.0.0.1:${server.port}`);
    expect(await server.command('PING')).toBe('PONG');
    const stranger = await connectResp({ port: server.port });
    await expect(stranger.command('PING')).rejects.toMatchObject({ code: 'NOAUTH' });
    stranger.close();
  });

  test('is asked over one connection, whoever asks', async () => {
    const other = await server.connect();
    await other.command('CLIENT', 'KILL', 'TYPE', 'normal');
    await eventually(() => Promise.all([1, 2, 3].map(() => server.command('PING'))));
    expect(String(await other.command('CLIENT', 'LIST', 'TYPE', 'normal')).match(/^id=/gm)).toHaveLength(2);
    other.close();
  });

  test('listens on its unix socket', async () => {
    const client = await connectResp({ path: server.socketPath ?? '', password: SECRET });
    expect(await client.command('PING')).toBe('PONG');
    client.close();
  });

  test.each([1, 2, 3])('comes back after kill -9 on the same port with its data (%i)', async (round) => {
    const { port, pid } = server;
    await server.command('SET', 'round', round);
    await server.kill9();
    expect(server.running).toBe(false);
    await expect(server.command('PING')).rejects.toThrow('ECONNREFUSED');
    await server.restart();
    expect(server.port).toBe(port);
    expect(server.pid).not.toBe(pid);
    expect(await server.command('GET', 'round')).toBe(String(round));
  });

  test('is silent while it is stopped and answers when it goes on', async () => {
    const client = await server.connect({ timeoutMs: 200 });
    server.stop();
    await expect(client.command('PING')).rejects.toThrow('no reply to PING within 200 ms');
    server.cont();
    expect(await server.command('PING')).toBe('PONG');
  });

  test('can be waited for while it still loads', async () => {
    await server.command('CONFIG', 'SET', 'key-load-delay', 50);
    await server.command('CONFIG', 'REWRITE');
    await server.pipeline(Array.from({ length: 10_000 }, (_, i) => ['SET', `key ${i}`, i]));
    await server.kill9();
    await server.restart({ until: 'answer' });
    await expect(server.command('GET', 'round')).rejects.toMatchObject({ code: 'LOADING' });
  });
});

test('a server that was shut down is gone, even one that was frozen', async () => {
  const server = await startServer();
  const { pid, dir, port } = server;
  server.stop();
  await server.shutdown();
  expect(isAlive(pid)).toBe(false);
  expect(existsSync(dir)).toBe(false);
  await expect(connectResp({ port })).rejects.toThrow('ECONNREFUSED');
  await server.shutdown();
});

test('a server that cannot start says what its log says', async () => {
  await expect(startServer({ args: ['--no-such-setting', '1'] })).rejects.toThrow('no-such-setting');
});

test('a port that is taken is an error, not another server', async () => {
  const port = await freePort();
  const squatter = createServer().listen(port, '127.0.0.1');
  await expect(startServer({ port })).rejects.toThrow('Address already in use');
  squatter.close();
});

test('users come from aclLines, and the kit keeps a user of its own', async () => {
  await using server = await startServer({ aclLines: ['user default off', 'user reader on >pw ~r:* +get'] });
  expect(await server.command('SET', 'r:1', 'x')).toBe('OK');
  const reader = await connectResp({ port: server.port, username: 'reader', password: 'pw' });
  expect(await reader.command('GET', 'r:1')).toBe('x');
  await expect(reader.command('SET', 'r:1', 'y')).rejects.toMatchObject({ code: 'NOPERM' });
  reader.close();
});

test('a TLS server answers over TLS and not in the clear', async () => {
  await using server = await startServer({ tls: true });
  expect(server.url).toMatch(/^rediss:/);
  const client = await connectResp({ port: server.port, ca: server.tls?.ca ?? '' });
  expect(await client.command('PING')).toBe('PONG');
  client.close();
  const plain = await connectResp({ port: server.port, timeoutMs: 1_000 });
  await expect(plain.command('PING')).rejects.toThrow();
});

test('the clock shift moves TIME and leaves time-outs of running keys to it', async () => {
  await using server = await startServer({ clockShift: true });
  const offset = async () => Number(((await server.command('TIME')) as string[])[0]) - Date.now() / 1000;
  expect(Math.abs(await offset())).toBeLessThan(2);
  await server.command('SET', 'short', 'x', 'PX', 20_000);
  await server.shiftClock(30_000);
  expect(Math.abs((await offset()) - 30)).toBeLessThan(2);
  await eventually(async () => (await server.command('EXISTS', 'short')) === 0);
  await server.shiftClock(-60_000);
  expect(Math.abs((await offset()) + 60)).toBeLessThan(2);
});

test('without the shim, shifting the clock is an error', async () => {
  await using server = await startServer();
  await expect(server.shiftClock(1)).rejects.toThrow('clockShift: true');
});
