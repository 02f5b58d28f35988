/**
 * A process whose subscription sits at a replica (after a fail-over it can) hears what the master publishes, without being
 * counted there. It must be passed over without being told that it holds.
 */
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, type RedisProcess, startReplica, startServer } from '../../../testkit/src/index.ts';
import { type Client, fromIoredis, Holdfast } from '../../src/index.ts';

describe('a waiter that listens at a replica', () => {
  let master: RedisProcess;
  let replica: RedisProcess;
  const clients: Redis[] = [];

  beforeAll(async () => {
    master = await startServer();
    replica = await startReplica(master);
  });
  afterAll(async () => {
    for (const client of clients) client.disconnect();
    await replica.shutdown();
    await master.shutdown();
  });

  function connect(server: RedisProcess): Redis {
    const client = new Redis({ port: server.port });
    clients.push(client);
    return client;
  }

  /** Commands go to the master, the subscription to the replica. */
  function listeningAtReplica(): Client {
    const commands = fromIoredis(connect(master));
    const ears = fromIoredis(connect(replica));
    return {
      kind: 'ioredis',
      keyPrefix: '',
      cluster: false,
      state: 'usable',
      drops: 0,
      send: (command) => commands.send(command),
      openSubscriber: (events) => ears.openSubscriber(events),
      detach() {},
    };
  }

  test('is passed over, never holds beside the one that was served, and has its turn', async () => {
    await using normal = new Holdfast(connect(master));
    await using deaf = new Holdfast(listeningAtReplica());
    const name = 'ears';
    let holders = 0;
    let most = 0;
    const work = async (lock: ReturnType<Holdfast['lock']>, holdMs: number) =>
      lock.use(async () => {
        most = Math.max(most, ++holders);
        await new Promise((resolve) => setTimeout(resolve, holdMs));
        holders--;
      });
    const first = await normal.lock(name).acquire();
    const deafWaits = work(deaf.lock(name, { ttlMs: 1_000 }), 1);
    await eventually(async () => expect((await normal.inspect(name)).queueLength).toBe(1));
    const served = work(normal.lock(name, { ttlMs: 1_000 }), 300);
    await eventually(async () => expect((await normal.inspect(name)).queueLength).toBe(2));
    await first.release();
    await Promise.all([served, deafWaits]);
    expect(most).toBe(1);
  });
});
