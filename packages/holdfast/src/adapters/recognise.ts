import type { Client } from '../client.ts';
import { clientError } from './client-error.ts';
import { fromIoredis, type IoredisLike } from './ioredis.ts';
import { fromIoredisCluster, type IoredisClusterLike } from './ioredis-cluster.ts';
import {
  fromNodeRedis,
  fromNodeRedisPool,
  type NodeRedisLike,
  type NodeRedisPoolLike,
} from './node-redis.ts';
import { fromNodeRedisCluster, type NodeRedisClusterLike } from './node-redis-cluster.ts';
import { fromNodeRedisSentinel, type NodeRedisSentinelLike } from './node-redis-sentinel.ts';

const PASS = 'pass a connected client of ioredis, iovalkey or node-redis';

/** One client, or those of a quorum: all different. */
export function recogniseClients(value: unknown): Client[] {
  if (!Array.isArray(value)) return [recogniseClient(value)];
  if (value.length === 0)
    throw clientError(
      'clients: the list is empty; pass clients (of ioredis, iovalkey or node-redis) of 3 or 5 independent servers, or one client',
    );
  const twice = value.findIndex((one, i) => value.indexOf(one) !== i);
  if (twice >= 0)
    throw clientError(
      `clients: number ${twice + 1} of the list is in it twice, so it would have two votes; pass each server once`,
    );
  return value.map((one, i) => recogniseClient(one, `clients: number ${i + 1} of the list: `));
}

/** The adapter for whatever client this is, told by its shape, so that no client library is imported. */
export function recogniseClient(value: unknown, what = 'client: '): Client {
  if (typeof value !== 'object' || value === null) throw clientError(`${what}${notAnObject(value)}`);
  const has = (...names: string[]) =>
    names.every((name) => typeof (value as Record<string, unknown>)[name] === 'function');
  if (has('send', 'openSubscriber', 'detach')) return value as Client;
  if (looksMocked(value))
    throw clientError(`${what}this looks like a mock, which cannot run the lock scripts; ${PASS}`);
  // iovalkey has the same shape.
  if (has('call', 'duplicate', 'nodes')) return fromIoredisCluster(value as IoredisClusterLike);
  if (has('call', 'duplicate', 'pipeline')) return fromIoredis(value as IoredisLike);
  if (has('sendCommand', 'nodeClient', 'destroy')) return fromNodeRedisCluster(value as NodeRedisClusterLike);
  if (has('sendCommand', 'getMasterNode', '_execute'))
    return fromNodeRedisSentinel(value as NodeRedisSentinelLike);
  if (has('sendCommand', 'execute', 'destroy')) return fromNodeRedisPool(value as NodeRedisPoolLike);
  if (has('sendCommand', 'duplicate', 'destroy')) return fromNodeRedis(value as NodeRedisLike);
  throw clientError(`${what}${otherObject(value, has)}`);
}

function notAnObject(value: unknown): string {
  if (value === null || value === undefined) return `it is ${value}; ${PASS}`;
  if (typeof value === 'string') return `it is a string; make a client from that address first, then ${PASS}`;
  if (typeof value === 'function')
    return `it is a class or function (${value.name || 'anonymous'}); ${PASS}, an instance`;
  return `it is a ${typeof value}; ${PASS}`;
}

function otherObject(value: object, has: (...names: string[]) => boolean): string {
  if (has('then'))
    return `it is a promise; await it first, as in \`await createClient().connect()\`, then ${PASS}`;
  if (value instanceof URL) return `it is a URL; make a client from that address first, then ${PASS}`;
  if (Array.isArray(value)) return `it is a list within the list; ${PASS}`;
  if (has('sendCommand') || has('send_command'))
    return 'it is of node-redis 4 or older; Holdfast needs version 5 or later';
  if (has('createClient') || has('Redis') || has('default'))
    return `it is the library, not a client made with it; ${PASS}`;
  const name = value.constructor?.name;
  const what = name && name !== 'Object' ? `an object of class ${name}` : 'an object';
  return `it is ${what} that is no known client; ${PASS}, or write an adapter as docs/adapters.md shows`;
}

/** ioredis-mock and its like, and objects full of `vi.fn()` or `jest.fn()`. */
function looksMocked(value: object): boolean {
  if (/mock/i.test(value.constructor?.name ?? '')) return true;
  return Object.values(value).some((member) => typeof member === 'function' && 'mock' in member);
}
