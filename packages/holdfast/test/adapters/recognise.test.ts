import { Cluster, Redis } from 'ioredis';
import { Redis as Redis6 } from 'ioredis6';
import { Redis as Valkey } from 'iovalkey';
import * as redis6 from 'redis';
import * as redis5 from 'redis5';
import { describe, expect, test, vi } from 'vitest';
import { fromIoredis, fromNodeRedis, recogniseClient } from '../../src/adapters/index.ts';

const lazy = { lazyConnect: true };
const sentinel = { name: 'main', sentinelRootNodes: [] };

describe('recogniseClient', () => {
  test.each<[string, unknown, string]>([
    ['ioredis', new Redis(lazy), 'ioredis'],
    ['ioredis', new Redis6(lazy), 'ioredis 6'],
    ['ioredis', new Valkey(lazy), 'iovalkey'],
    ['ioredis', new Cluster([{}], lazy), 'ioredis Cluster'],
    ['node-redis', redis6.createClient(), 'node-redis 6'],
    ['node-redis', redis5.createClient(), 'node-redis 5'],
    ['node-redis', redis6.createClient().withTypeMapping({}), 'node-redis with a type mapping'],
    ['node-redis pool', redis6.createClientPool(), 'a pool'],
    ['node-redis pool', redis5.createClientPool(), 'a pool of version 5'],
    ['node-redis cluster', redis6.createCluster({ rootNodes: [] }), 'a cluster'],
    ['node-redis cluster', redis5.createCluster({ rootNodes: [] }), 'a cluster of version 5'],
    ['node-redis sentinel', redis6.createSentinel(sentinel), 'a sentinel'],
    ['node-redis sentinel', redis5.createSentinel(sentinel), 'a sentinel of version 5'],
  ])('%s: %#', (kind, raw) => {
    const client = recogniseClient(raw);
    expect(client.kind).toBe(kind);
    expect(recogniseClient(client)).toBe(client);
    client.detach();
  });

  test.each<[string, unknown, RegExp]>([
    ['undefined', undefined, /^client: it is undefined; pass a connected client of ioredis/],
    ['null', null, /it is null; pass/],
    ['an address', 'redis://:secret@localhost', /it is a string; make a client/],
    ['a URL', new URL('redis://:secret@localhost'), /it is a URL; make a client/],
    ['a forgotten await', Promise.resolve(), /it is a promise; await it first/],
    ['a number', 6379, /it is a number/],
    ['a list, where one is wanted', [new Redis(lazy)], /it is a list within the list; pass/],
    ['a class', Redis, /it is a class or function \(Redis\); pass .* an instance/],
    ['a library', redis6, /it is the library/],
    [
      'options',
      { host: 'localhost', port: 6379 },
      /it is an object that is no known client; .*docs\/adapters\.md/,
    ],
    ['another client', new (class GlideClient {})(), /of class GlideClient .*docs\/adapters\.md/],
    ['a mock', { get: vi.fn(), set: vi.fn() }, /looks like a mock/],
    ['a mock by name', new (class RedisMock {})(), /looks like a mock/],
    ['node-redis 4', { sendCommand() {}, duplicate() {}, isOpen: true }, /node-redis 4 or older/],
  ])('refuses %s and says what to pass', (_, value, message) => {
    expect(() => recogniseClient(value)).toThrow(message);
    expect(() => recogniseClient(value)).not.toThrow(/secret/);
    expect(() => recogniseClient(value)).toThrow(expect.objectContaining({ code: 'ERR_HOLDFAST_CLIENT' }));
    expect(() => recogniseClient(value)).toThrow(TypeError);
  });

  test.each(['{', 'app:{x', 'a}b{'])('refuses the keyPrefix %j, which opens a hash tag', (keyPrefix) => {
    const refusal = expect.objectContaining({ code: 'ERR_HOLDFAST_CLIENT' });
    expect(() => fromIoredis(new Redis({ ...lazy, keyPrefix }))).toThrow(refusal);
    expect(() => fromNodeRedis(redis6.createClient({ keyPrefix }))).toThrow(refusal);
  });

  test.each(['', 'app:', '{app}:', 'a}b'])('takes the keyPrefix %j', (keyPrefix) => {
    const client = fromIoredis(new Redis({ ...lazy, keyPrefix }));
    expect(client.keyPrefix).toBe(keyPrefix);
    client.detach();
  });

  test('knows where a client connects', () => {
    expect(fromIoredis(new Redis('rediss://db.example:6380', lazy)).endpoint).toEqual({
      host: 'db.example',
      port: 6380,
      tls: true,
    });
    expect(fromNodeRedis(redis6.createClient({ url: 'redis://db.example' })).endpoint).toEqual({
      host: 'db.example',
      port: 6379,
      tls: false,
    });
    expect(fromIoredis(new Redis('/tmp/redis.sock', lazy)).endpoint).toBeUndefined();
  });
});
