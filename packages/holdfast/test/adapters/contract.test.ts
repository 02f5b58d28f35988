import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, type RedisProcess, startServer } from '../../../testkit/src/index.ts';
import type { Client } from '../../src/client.ts';
import { KINDS, type Opened, recorder, type Wish } from './kinds.ts';

describe.each(KINDS)('$name', ({ open, connect, prefixes }) => {
  let server: RedisProcess;
  let secure: RedisProcess;

  beforeAll(async () => {
    [server, secure] = await Promise.all([
      startServer({ aclLines: ['user mute on >secret resetchannels ~* +@all'] }),
      startServer({ tls: true, password: 'pass:w@rd' }),
    ]);
  });
  afterAll(async () => {
    await Promise.all([server.shutdown(), secure.shutdown()]);
  });

  async function opened(wish: Partial<Wish> = {}): Promise<Opened & AsyncDisposable> {
    const one = open({ port: server.port, ...wish });
    await connect?.(one.raw);
    return {
      ...one,
      async [Symbol.asyncDispose]() {
        one.client.detach();
        await one.end();
      },
    };
  }
  const listening = async (one: Opened, ...channels: string[]) => {
    const { log, events } = recorder();
    const subscriber = await one.client.openSubscriber(events);
    for (const channel of channels) await subscriber.subscribe(channel);
    return { log, subscriber };
  };
  const publish = (channel: string, text: string) => server.command('PUBLISH', channel, text);
  const subscribers = async (channel: string) =>
    Number(((await server.command('PUBSUB', 'NUMSUB', channel)) as unknown[])[1]);
  const pubsubConnections = async () =>
    String(await server.command('CLIENT', 'LIST', 'TYPE', 'pubsub')).split('\n').length - 1;

  test('puts the keys where the client itself finds them, and returns strings', async () => {
    await server.command('FLUSHALL');
    const keyPrefix = prefixes ? 'app:' : '';
    await using one = await opened({ db: 3, ...(prefixes && { keyPrefix }) });
    expect(one.client.keyPrefix).toBe(keyPrefix);
    const send = (name: string, key: string, tail: string[] = [], head: string[] = []) =>
      one.client.send({ name, head, keys: [key], tail });
    expect(await send('SET', 'a', ['1'])).toBe('OK');
    await send('ZADD', 'z', ['1', 'member']);
    const script = "redis.call('set', KEYS[1], ARGV[1]) return KEYS[1]";
    expect(await send('EVAL', 'b', ['2'], [script, '1'])).toBe(`${keyPrefix}b`);
    const sha = String(await server.command('SCRIPT', 'LOAD', script));
    expect(await send('EVALSHA', 'c', ['3'], [sha, '1'])).toBe(`${keyPrefix}c`);
    expect(await send('GET', 'a')).toBe('1');
    expect(await (one.raw as { get?(key: string): Promise<string> }).get?.('c')).toBe('3');
    const [, physical] = await server.pipeline([
      ['SELECT', 3],
      ['KEYS', '*'],
      ['SELECT', 0],
    ]);
    expect((physical as unknown[]).map(String).sort()).toEqual(
      ['a', 'b', 'c', 'z'].map((key) => keyPrefix + key),
    );
    expect(Number(await send('DEL', 'a'))).toBe(1);
    expect(await one.client.send({ name: 'PING', keys: [] })).toBe('PONG');
  });

  test("rejects with the client's own error", async () => {
    await using one = await opened();
    await expect(
      one.client.send({ name: 'EVALSHA', head: ['0'.repeat(40), '1'], keys: ['k'] }),
    ).rejects.toThrow(/^NOSCRIPT/);
    await one.client.send({ name: 'SET', keys: ['text'], tail: ['x'] });
    await expect(one.client.send({ name: 'ZADD', keys: ['text'], tail: ['1', 'x'] })).rejects.toThrow(
      /^WRONGTYPE/,
    );
  });

  test('delivers messages once, until unsubscribed', async () => {
    await using one = await opened();
    const { log, subscriber } = await listening(one, 'c1', 'c2');
    await publish('c1', 'hello');
    await publish('c2', '');
    await eventually(() => log.messages.length === 2);
    await subscriber.unsubscribe('c1');
    await publish('c1', 'unheard');
    await subscriber.subscribe('c1');
    await publish('c1', 'again');
    await eventually(() => log.messages.length === 3);
    expect(log).toEqual({ messages: ['c1 hello', 'c2 ', 'c1 again'], dropped: [], resubscribed: 0 });
    await subscriber.close();
    await eventually(async () => (await subscribers('c1')) === 0);
  });

  test('a keyPrefix, a database, TLS and a password do not change channels', async () => {
    const keyPrefix = prefixes ? 'app:' : '';
    const ca = secure.tls?.ca ?? '';
    await using one = await opened({
      port: secure.port,
      password: 'pass:w@rd',
      ca,
      db: 2,
      ...(prefixes && { keyPrefix }),
    });
    expect(await one.client.send({ name: 'SET', keys: ['k'], tail: ['v'] })).toBe('OK');
    const { log, subscriber } = await listening(one, 'c');
    await secure.command('PUBLISH', 'c', 'x');
    await eventually(() => log.messages[0] === 'c x');
    await subscriber.close();
  });

  test('is subscribed again after two lost connections within half a second', async () => {
    await using one = await opened();
    const { log, subscriber } = await listening(one, 'a', 'b');
    await server.command('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await eventually(async () => (await pubsubConnections()) > 0, { everyMs: 2 });
    await server.command('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await eventually(async () => (await subscribers('a')) + (await subscribers('b')) === 2, {
      withinMs: 2000,
    });
    await eventually(() => log.resubscribed > 0);
    await publish('a', 'x');
    await publish('b', 'y');
    await eventually(() => log.messages.length === 2);
    expect(log.messages).toEqual(['a x', 'b y']);
    await subscriber.close();
  });

  test('a refused subscription is refused, and leaves nothing', async () => {
    await using one = await opened({ username: 'mute', password: 'secret' });
    const { subscriber } = await listening(one);
    await expect(subscriber.subscribe('c')).rejects.toThrow(/^NOPERM/);
    await expect(subscriber.subscribe('c')).rejects.toThrow(/^NOPERM/);
    await subscriber.close();
  });

  test('ends with the wanted channels after much coming and going on breaking connections', async () => {
    await using one = await opened();
    const { log, subscriber } = await listening(one);
    const wanted = new Set<string>();
    for (let step = 0; step < 150; step++) {
      const channel = `churn${Math.floor(Math.random() * 8)}`;
      if (wanted.delete(channel)) void subscriber.unsubscribe(channel);
      else {
        wanted.add(channel);
        subscriber.subscribe(channel).catch(() => {}); // it may be unsubscribed before it is confirmed
      }
      if (step % 25 === 10) await server.command('CLIENT', 'KILL', 'TYPE', 'pubsub');
      if (step % 7 === 0) await new Promise((resolve) => setTimeout(resolve, Math.random() * 40));
    }
    wanted.add('last');
    await Promise.all([...wanted].map((channel) => subscriber.subscribe(channel)));
    await eventually(async () =>
      (await Promise.all([...wanted].map(subscribers))).every((count) => count === 1),
    );
    const unwanted = Array.from({ length: 8 }, (_, i) => `churn${i}`).filter(
      (channel) => !wanted.has(channel),
    );
    await eventually(async () =>
      (await Promise.all(unwanted.map(subscribers))).every((count) => count === 0),
    );
    for (const channel of wanted) await publish(channel, 'x');
    await eventually(() => log.messages.length >= wanted.size);
    expect([...log.messages].sort()).toEqual([...wanted].map((channel) => `${channel} x`).sort());
    expect(log.dropped).toEqual([]);
    await subscriber.close();
    await eventually(async () => (await subscribers('last')) === 0);
  });

  test('a channel that may no longer be heard is dropped', async () => {
    await server.command('ACL', 'SETUSER', 'heard', 'on', '>secret', '~*', '&*', '+@all');
    await using one = await opened({ username: 'heard', password: 'secret' });
    const { log, subscriber } = await listening(one, 'c', 'd');
    await server.command('ACL', 'SETUSER', 'heard', 'resetchannels', '&d');
    await eventually(() => log.resubscribed > 0);
    expect(log.dropped).toEqual(['c']);
    await publish('d', 'x');
    await eventually(() => log.messages.length === 1);
    await subscriber.close();
  });

  test('close before the server answers rejects what waits', async () => {
    await using one = await opened();
    server.stop();
    const { subscriber } = await listening(one);
    const waiting = subscriber.subscribe('c');
    await Promise.all([expect(waiting).rejects.toThrow(/closed/), subscriber.close()]);
    await expect(subscriber.subscribe('d')).rejects.toThrow(/closed/);
    await subscriber.close();
    server.cont();
  });

  test('tells its state', async () => {
    const one = open({ port: server.port });
    expect(one.client.state).toBe(connect ? 'not connected' : 'usable');
    await connect?.(one.raw);
    await one.client.send({ name: 'PING', keys: [] });
    expect(one.client.state).toBe('usable');
    await one.end();
    await eventually(() => one.client.state === 'closed');
    await expect(one.client.send({ name: 'PING', keys: [] })).rejects.toThrow();
    one.client.detach();
  });

  test('comes back after the server was down, and counts the lost connection', async () => {
    await using one = await opened();
    await one.client.send({ name: 'PING', keys: [] });
    const { log, subscriber } = await listening(one, 'c');
    const before = one.client.drops;
    await server.kill9();
    const late = subscriber.subscribe('late');
    await server.start();
    await late;
    await eventually(() => log.resubscribed > 0);
    await publish('c', 'x');
    await eventually(() => log.messages.length === 1);
    await eventually(() => one.client.send({ name: 'PING', keys: [] }));
    if (!one.client.kind.includes('pool')) await eventually(() => one.client.drops > before);
    await subscriber.close();
  });
});

test('many Holdfast instances on one client put one listener on it and take it off', async () => {
  const kind = KINDS[0];
  const { fromIoredis } = await import('../../src/adapters/index.ts');
  if (!kind) throw new Error('no kind');
  const { raw, client, end } = kind.open({ port: 1 });
  const emitter = raw as Parameters<typeof fromIoredis>[0] & NodeJS.EventEmitter;
  const more: Client[] = Array.from({ length: 20 }, () => fromIoredis(emitter));
  expect(emitter.listenerCount('close')).toBe(1);
  for (const one of [client, ...more, ...more]) one.detach();
  expect(emitter.listenerCount('close')).toBe(0);
  end();
});
