/** `minReplicas`: no lease that fewer replicas have confirmed. */
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RedisProcess, startReplica, startServer } from '../../../testkit/src/index.ts';
import { ConnectionError, Holdfast, ServerRefusedError } from '../../src/index.ts';
import { fresh } from '../suites/backend.ts';

describe('minReplicas', () => {
  let master: RedisProcess;
  let replica: RedisProcess;
  const clients: Redis[] = [];
  const instances: Holdfast[] = [];

  function open(minReplicas: number): Holdfast {
    const client = new Redis({ port: master.port, host: '127.0.0.1' });
    const holdfast = new Holdfast(client, { minReplicas });
    clients.push(client);
    instances.push(holdfast);
    return holdfast;
  }

  beforeAll(async () => {
    master = await startServer();
    replica = await startReplica(master);
  }, 60_000);
  afterAll(async () => {
    await Promise.all(instances.map((one) => one.close()));
    for (const client of clients) client.disconnect();
    await replica?.shutdown();
    await master?.shutdown();
  });

  it('a lease that a replica has confirmed is there, found free or handed over', async () => {
    const name = fresh('confirmed');
    const lease = await open(1).lock(name).acquire();
    const waiting = open(1).lock(name).acquire();
    await expect.poll(async () => (await instances[0]?.inspect(name))?.queueLength).toBe(1);
    expect(await replica.command('GET', name)).toBe(lease.holderId);
    await lease.release();
    const next = await waiting;
    expect(await replica.command('GET', name)).toBe(next.holderId);
    expect(await next.release()).toBe('released');
    expect((await open(1).semaphore(fresh('seats'), { limit: 2 }).tryAcquire())?.permits).toBe(1);
  });

  it('where too few confirm, the acquire rejects and the lock is free again', async () => {
    const name = fresh('two');
    const error = await open(2)
      .lock(name, { ttlMs: 600 })
      .acquire()
      .catch((e: unknown) => e);
    expect(error).toBeInstanceOf(ServerRefusedError);
    expect(error).toMatchObject({ reply: 'NOREPLICAS', lockName: name });
    expect(String(error)).toMatch(/1 of 2 replicas confirmed/);
    const plain = await open(0).lock(name).tryAcquire();
    expect(await plain?.release()).toBe('released');
    await expect(open(2).lock(name, { ttlMs: 300 }).tryAcquire()).rejects.toMatchObject({
      reply: 'NOREPLICAS',
    });
    // With the defaults too: WAIT ends before the deadline of the command.
    await expect(open(2).lock(name).acquire()).rejects.toMatchObject({ reply: 'NOREPLICAS' });
  });

  it('a signal that aborts meanwhile ends the acquire, and nothing is held', async () => {
    const name = fresh('aborted');
    const abort = new AbortController();
    const holdfast = open(1);
    await (await holdfast.lock(name).acquire()).release();
    replica.stop();
    const asked = holdfast.lock(name).acquire({ signal: abort.signal });
    asked.catch(() => {});
    await expect.poll(() => master.command('EXISTS', name)).toBe(1);
    const abortedAt = performance.now();
    abort.abort();
    await expect(asked).rejects.toBe(abort.signal.reason);
    // WAIT itself goes on for a second.
    expect(performance.now() - abortedAt).toBeLessThan(500);
    replica.cont();
    await expect.poll(() => master.command('EXISTS', name)).toBe(0);
  });

  it('a server that stops meanwhile costs two thirds of the ttl, not the deadline of a command', async () => {
    const name = fresh('silent');
    const lock = open(1).lock(name, { ttlMs: 300 });
    await (await lock.acquire()).release();
    replica.stop();
    const asked = lock.acquire();
    asked.catch(() => {});
    await expect.poll(() => master.command('EXISTS', name)).toBe(1);
    master.stop();
    const stoppedAt = performance.now();
    await expect(asked).rejects.toThrow(ConnectionError);
    expect(performance.now() - stoppedAt).toBeLessThan(1_000);
    master.cont();
    replica.cont();
    await expect.poll(() => master.command('EXISTS', name)).toBe(0);
  });

  it('a lease that was confirmed too late is no lease', async () => {
    const name = fresh('late');
    const lock = open(1).lock(name, { ttlMs: 600 });
    await (await lock.acquire()).release();
    replica.stop();
    const asked = lock.acquire();
    asked.catch(() => {});
    // It has its grant, and the server holds its WAIT.
    const looks = { interval: 5 };
    await expect.poll(() => master.command('INFO', 'clients'), looks).toMatch(/^blocked_clients:1/m);
    replica.cont();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 700);
    await expect(asked).rejects.toThrow(/confirmed|no answer/);
  });

  it('a hand-off that is not confirmed goes on to the next waiter', async () => {
    const name = fresh('hand-off');
    const held = await open(0).lock(name).acquire();
    const strict = open(2).lock(name, { ttlMs: 600 }).acquire();
    strict.catch(() => {});
    await expect.poll(async () => (await instances[0]?.inspect(name))?.queueLength).toBe(1);
    const plain = open(0).lock(name).acquire();
    await expect.poll(async () => (await instances[0]?.inspect(name))?.queueLength).toBe(2);
    await held.release();
    await expect(strict).rejects.toMatchObject({ reply: 'NOREPLICAS' });
    expect(await (await plain).release()).toBe('released');
  });

  it('says at once where it cannot work', () => {
    const two = [new Redis({ lazyConnect: true }), new Redis({ lazyConnect: true })];
    expect(() => new Holdfast(two, { minReplicas: 1 })).toThrow(
      /minReplicas: expected a client with one connection/,
    );
    expect(() => Holdfast.inMemory({ minReplicas: 1 })).toThrow(/minReplicas/);
    expect(() => new Holdfast(two[0], { minReplicas: 101 })).toThrow(RangeError);
    expect(() => new Holdfast(two[0], { minReplicas: 1.5 })).toThrow(RangeError);
  });
});
