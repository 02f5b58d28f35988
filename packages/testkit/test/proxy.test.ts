import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { startProxy, type TcpProxy } from '../src/proxy.ts';
import type { RedisProcess } from '../src/redis-process.ts';
import { connectResp } from '../src/resp.ts';
import { startServer } from '../src/start-server.ts';
import { eventually } from '../src/wait.ts';

let server: RedisProcess;
let proxy: TcpProxy;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.shutdown());
beforeEach(async () => {
  proxy = await startProxy({ port: server.port });
});
afterEach(() => proxy.shutdown());

const through = (timeoutMs = 3_000) => connectResp({ port: proxy.port, timeoutMs });

test('bytes pass both ways, and are counted', async () => {
  const client = await through();
  const big = 'x'.repeat(12 << 20);
  expect(await client.command('SET', 'big', big)).toBe('OK');
  expect(await client.command('GET', 'big')).toHaveLength(big.length);
  expect(proxy.stats).toMatchObject({ accepted: 1, open: 1, droppedUpBytes: 0, droppedDownBytes: 0 });
  expect(proxy.stats.upBytes).toBeGreaterThan(big.length);
  client.close();
  await eventually(() => proxy.stats.open === 0);
});

test('a delay is felt in each direction, and order stays', async () => {
  const client = await through();
  proxy.delay({ upMs: 40, downMs: 60 });
  const began = performance.now();
  const replies = await Promise.all([1, 2, 3].map((n) => client.command('ECHO', n)));
  expect(performance.now() - began).toBeGreaterThanOrEqual(99);
  expect(replies).toEqual(['1', '2', '3']);
  client.close();
});

test.each([1, 2, 3])('silence up: the command does not arrive until healed (%i)', async (round) => {
  const client = await through();
  proxy.silence('up');
  const reply = client.command('SET', 'up', round);
  await sleep(50);
  expect(await server.command('GET', 'up')).not.toBe(String(round));
  proxy.heal();
  expect(await reply).toBe('OK');
  client.close();
});

test.each([1, 2, 3])(
  'silence down, dropping: the command runs, its reply never comes (%i)',
  async (round) => {
    const client = await through(300);
    proxy.silence('down', 'drop');
    const reply = client.command('SET', 'down', round).catch((error: Error) => error.message);
    await eventually(async () => (await server.command('GET', 'down')) === String(round));
    await eventually(() => proxy.stats.droppedDownBytes > 0);
    proxy.heal();
    expect(await reply).toContain('no reply to SET');
    const next = await through();
    expect(await next.command('PING')).toBe('PONG');
    next.close();
  },
);

test('a silent proxy keeps even the end of a connection to itself', async () => {
  const client = await through(0);
  await client.command('CLIENT', 'SETNAME', 'behind');
  proxy.silence('down');
  const reply = client.command('BLPOP', 'no such list', 0);
  let settled = false;
  const end = reply
    .catch(() => undefined)
    .finally(() => {
      settled = true;
    });
  await server.command('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
  await sleep(50);
  expect(settled).toBe(false);
  proxy.heal();
  await end;
});

test('cut and reset end connections, and new ones work', async () => {
  for (const end of ['cut', 'reset'] as const) {
    const client = await through(0);
    const waiting = client.command('BLPOP', 'no such list', 0);
    await eventually(() => proxy.stats.upBytes > 0);
    proxy[end]();
    await expect(waiting).rejects.toThrow(end === 'cut' ? /connection closed|ECONNRESET/ : 'ECONNRESET');
  }
  const client = await through();
  expect(await client.command('PING')).toBe('PONG');
  client.close();
});

test('refusing keeps new connections out and leaves open ones alone', async () => {
  const client = await through();
  await client.command('PING');
  await proxy.refuse();
  await expect(through()).rejects.toThrow('ECONNREFUSED');
  expect(await client.command('PING')).toBe('PONG');
  await proxy.refuse(false);
  const next = await through();
  expect(await next.command('PING')).toBe('PONG');
  next.close();
  client.close();
});

test('a server that is down is seen as a reset', async () => {
  await server.kill9();
  const client = await through();
  await expect(client.command('PING')).rejects.toThrow(/ECONNRESET|connection closed/);
  await server.restart();
});
