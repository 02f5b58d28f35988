import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RedisProcess } from '../src/redis-process.ts';
import { connectResp } from '../src/resp.ts';
import { encodeCommand, ReplyError, RespParser } from '../src/resp-parser.ts';
import { startServer } from '../src/start-server.ts';
import { eventually, freePort } from '../src/wait.ts';

describe('the parser', () => {
  test('reads replies that come byte by byte as if they came at once', () => {
    const whole = Buffer.from('*3\r\n:1\r\n$4\r\na\r\nb\r\n$-1\r\n+OK\r\n');
    const parser = new RespParser();
    const replies = [...whole].flatMap((byte) => parser.push(Buffer.from([byte])));
    expect(replies).toEqual([[1, 'a\r\nb', null], 'OK']);
    expect(new RespParser().push(whole)).toEqual(replies);
  });

  test('keeps an error inside an array as a value, and counts bytes, not characters', () => {
    const [reply] = new RespParser().push(Buffer.from('*2\r\n$2\r\né\r\n-ERR no\r\n'));
    expect(reply).toEqual(['é', new ReplyError('ERR no')]);
  });

  test('reads a long string in chunks, with what comes before and after it', () => {
    const text = 'x'.repeat(300_000);
    const whole = Buffer.from(`*2\r\n:1\r\n$300000\r\n${text}\r\n+A\r\n$1\r\nb\r\n`);
    const parser = new RespParser();
    const replies = [];
    for (let at = 0; at < whole.length; at += 1000)
      replies.push(...parser.push(whole.subarray(at, at + 1000)));
    expect(replies).toEqual([[1, text], 'A', 'b']);
  });

  test('refuses what is not RESP2', () => {
    expect(() => new RespParser().push(Buffer.from('HTTP/1.1 200\r\n'))).toThrow('not a RESP2 reply');
  });

  test('encodes numbers and bytes', () => {
    expect(encodeCommand(['SET', 7, Buffer.from('é')]).toString()).toBe(
      '*3\r\n$3\r\nSET\r\n$1\r\n7\r\n$2\r\né\r\n',
    );
  });
});

/** What the end of a connection looks like depends on whether bytes were still on their way. */
const LOST = /connection closed|ECONNRESET/;

describe('the client', () => {
  let server: RedisProcess;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.shutdown());

  test('an error reply rejects, with its first word as code', async () => {
    await server.command('SET', 'text', 'x');
    await expect(server.command('LPUSH', 'text', 'y')).rejects.toMatchObject({
      name: 'ReplyError',
      code: 'WRONGTYPE',
    });
  });

  test('a pipeline gives all replies in order, errors as values', async () => {
    const replies = await server.pipeline([
      ['SET', 'n', 5],
      ['INCR', 'n'],
      ['NONSENSE'],
      ['MGET', 'n', 'no such key'],
    ]);
    expect(replies).toEqual(['OK', 6, expect.any(ReplyError), ['6', null]]);
  });

  test('messages on a subscribed connection go to onMessage', async () => {
    const messages: unknown[] = [];
    const client = await server.connect({ onMessage: (message) => messages.push(message) });
    await client.command('SUBSCRIBE', 'news');
    await server.command('PUBLISH', 'news', 'hello');
    await eventually(() => messages.length > 0);
    expect(messages).toEqual([['message', 'news', 'hello']]);
    client.close();
  });

  test('a connection that is closed under a command rejects it', async () => {
    const client = await server.connect({ timeoutMs: 0 });
    const rejected = expect(client.command('BLPOP', 'no such list', 0)).rejects.toThrow(LOST);
    await server.command('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await rejected;
    await expect(client.command('PING')).rejects.toThrow('connection closed');
  });

  test('connecting to nobody rejects', async () => {
    await expect(connectResp({ port: await freePort() })).rejects.toThrow('ECONNREFUSED');
  });
});
