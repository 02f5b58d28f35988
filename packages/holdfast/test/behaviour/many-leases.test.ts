/** Many leases of one process: what it sends in one turn goes out in few writes, and renewals go together. */
import { Redis } from 'ioredis';
import { Redis as Redis6 } from 'ioredis6';
import Valkey from 'iovalkey';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, type RedisProcess, startServer } from '../../../testkit/src/index.ts';
import { Holdfast } from '../../src/index.ts';

const LEASES = 200;
const CLIENTS = { 'ioredis 5': Redis, 'ioredis 6': Redis6, iovalkey: Valkey };

let server: RedisProcess;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await server.shutdown();
});

/** How often the client's socket was written to, in one way or the other. */
function writesOf(redis: { readonly stream?: unknown }): () => number {
  let writes = 0;
  const socket = redis.stream as {
    _write: (...args: unknown[]) => void;
    _writev: (...args: unknown[]) => void;
  };
  for (const method of ['_write', '_writev'] as const) {
    const original = socket[method].bind(socket);
    socket[method] = (...args) => {
      writes++;
      original(...args);
    };
  }
  return () => writes;
}

describe.each(Object.entries(CLIENTS))('with %s', (_, Client) => {
  test('acquires of one turn are few writes, and so are the renewals of leases that are due at about the same time', async () => {
    const redis = new (Client as typeof Redis)(server.port);
    await redis.ping();
    await using holdfast = new Holdfast(redis);
    let renewed = 0;
    holdfast.on('renewed', () => renewed++);
    const writes = writesOf(redis);
    const names = Array.from(
      { length: LEASES },
      (_, i) => `many:${redis.options.port}:${_}${i}:${Math.random()}`,
    );
    const before = writes();
    const leases = await Promise.all(names.map((name) => holdfast.lock(name, { ttlMs: 1_500 }).acquire()));
    const acquiring = writes() - before;
    await eventually(() => renewed >= LEASES, { withinMs: 3_000 });
    const renewing = writes() - before - acquiring;
    for (const lease of leases) await lease.release();
    redis.disconnect();
    // The first commands of an instance tell who it is, and load the script.
    expect(acquiring).toBeLessThan(20);
    expect(renewing).toBeLessThanOrEqual(LEASES / 20);
  });
});
