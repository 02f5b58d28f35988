/** Grants that are heard late, and turns that were served by asking [1, 2, 18]. */
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, type RedisProcess, startProxy, startServer } from '../../../testkit/src/index.ts';
import { Holdfast, type HoldfastOptions, type Lease } from '../../src/index.ts';
import { freshName } from './support/server.ts';
import { took } from './support/time.ts';

let server: RedisProcess;
const clients: Redis[] = [];
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  for (const client of clients) client.disconnect();
  await server.shutdown();
});

function client(port = server.port): Redis {
  const redis = new Redis(port);
  redis.on('error', () => {});
  clients.push(redis);
  return redis;
}

/** Its subscriber connection stalls: messages are read so much later. `heard` resolves when the first one has been. */
function hardOfHearing(ms: number): { redis: Redis; heard: Promise<void> } {
  const redis = client();
  let tell = () => {};
  const heard = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const duplicate = redis.duplicate.bind(redis);
  redis.duplicate = (...args) => {
    const subscriber = duplicate(...args);
    const emit = subscriber.emit.bind(subscriber);
    subscriber.emit = (event: string, ...rest: unknown[]) => {
      if (event !== 'message') return emit(event, ...rest);
      setTimeout(() => {
        emit(event, ...rest);
        tell();
      }, ms);
      return true;
    };
    return subscriber;
  };
  return { redis, heard };
}

/** The reply to the next command for that script's body comes so much later than its lease lasts. */
function slowToHearOnce(ms: number): { redis: Redis; slow(): void } {
  const redis = client();
  const call = redis.call.bind(redis) as (...args: unknown[]) => Promise<unknown>;
  let slow = false;
  redis.call = (async (...args: unknown[]) => {
    const late = slow && /^eval$/i.test(String(args[0]));
    if (late) slow = false;
    const reply = await call(...args);
    if (late) await new Promise((resolve) => setTimeout(resolve, ms));
    return reply;
  }) as typeof redis.call;
  return {
    redis,
    slow: () => {
      slow = true;
    },
  };
}

interface Kind {
  readonly what: string;
  acquire(holdfast: Holdfast, name: string, options: HoldfastOptions): Promise<Lease>;
  queueLength(holdfast: Holdfast, name: string): Promise<number>;
}

const KINDS: readonly Kind[] = [
  {
    what: 'lock',
    acquire: (holdfast, name, options) => holdfast.lock(name, options).acquire(),
    queueLength: async (holdfast, name) => (await holdfast.inspect(name)).queueLength,
  },
  {
    what: 'semaphore',
    acquire: (holdfast, name, options) => holdfast.semaphore(name, { limit: 1, ...options }).acquire(),
    queueLength: async (holdfast, name) => (await holdfast.semaphore(name).inspect()).queueLength,
  },
];

describe.each(KINDS)('a $what', ({ acquire, queueLength }) => {
  test('a grant that is read after its lease has ended is no lease, though its waiter has asked again meanwhile', async () => {
    await using a = new Holdfast(client());
    const { redis, heard } = hardOfHearing(2_350);
    await using w = new Holdfast(redis);
    await using b = new Holdfast(client());
    const name = freshName();
    const queue = (length: number) => eventually(async () => (await queueLength(a, name)) === length);
    const options = { ttlMs: 700, waitMs: 20_000 };
    // Who waits asks again when this would have ended.
    const first = await acquire(a, name, { ttlMs: 2_000, renew: false });
    let late: Lease | undefined;
    const waiting = acquire(w, name, options).then((lease) => {
      late = lease;
      return lease;
    });
    await queue(1);
    let next: Lease | undefined;
    void acquire(b, name, options).then((lease) => {
      next = lease;
    });
    await queue(2);
    await first.release();
    // W's lease ends unheard, and somebody who asks lets B in.
    await eventually(() => next ?? acquire(a, name, { waitMs: 0 }).catch(() => undefined));
    const held = next as Lease | undefined;
    // W asks again, and has a place behind B; then comes the message of the lease that it missed.
    await queue(1);
    await heard;
    // By then whatever W makes of it has been done.
    expect(await held?.renew()).toBe('renewed');
    expect(late).toBeUndefined();
    await held?.release();
    await (await waiting).release();
  });

  test('a grant that came too late is given back, and not what the same acquire gets next', async () => {
    const { redis, slow } = slowToHearOnce(500);
    await using w = new Holdfast(redis);
    await using b = new Holdfast(client());
    const other = freshName();
    const held = await acquire(b, other, { ttlMs: 60_000 });
    // W listens from here on, as one does that has waited before.
    await acquire(w, other, { waitMs: 50 }).catch(() => {});
    await eventually(async () => (await queueLength(b, other)) === 0);
    const name = freshName();
    // A restarted server, another node, a new version: scripts are sent whole once, so the giving back takes two commands.
    await server.command('SCRIPT', 'FLUSH');
    slow();
    const lease = await acquire(w, name, { ttlMs: 300, waitMs: 5_000, renew: false });
    // The giving back takes two commands on W's connection: they have been answered behind these.
    for (let i = 0; i < 3; i++) await redis.ping();
    expect(lease.remainingMs()).toBeGreaterThan(0);
    const another = await acquire(b, name, { waitMs: 0 }).catch((error: Error) => error.name);
    expect(another).toBe('AcquireTimeoutError');
    await lease.release();
    await held.release();
  });

  test('a try that was answered too late is given back without what the same acquire gets next', async () => {
    await using other = new Holdfast(client());
    await using proxy = await startProxy(server);
    const far = client(proxy.port);
    await using ours = new Holdfast(far);
    const name = freshName();
    await (await acquire(ours, name, {})).release();
    // It listens already, so that nothing else comes between the try and the wait.
    const elsewhere = freshName();
    const taken = await acquire(other, elsewhere, {});
    const waited = acquire(ours, elsewhere, {});
    await eventually(async () => (await queueLength(other, elsewhere)) === 1);
    await taken.release();
    await (await waited).release();
    proxy.silence('up', 'hold');
    const asked = acquire(ours, name, { ttlMs: 400, waitMs: 10_000, renew: false });
    await new Promise((resolve) => setTimeout(resolve, 450));
    // The server does not know how to release, as after a restart, but how to acquire.
    await server.command('SCRIPT', 'FLUSH');
    const knowing = await acquire(other, freshName(), {});
    proxy.heal();
    const lease = await asked;
    await knowing.release();
    const until = performance.now() + 100;
    while (performance.now() < until) {
      expect(await acquire(other, name, { waitMs: 0 }).catch(() => 'busy')).toBe('busy');
    }
    expect(await lease.release()).toBe('released');
  });

  test('who waits behind one that was served by asking finds the end of a lease all the same', async () => {
    const [x, w, p] = [new Holdfast(client()), new Holdfast(client()), new Holdfast(client())];
    const name = freshName();
    const options = { ttlMs: 400, waitMs: 30_000, renew: false };
    const queue = (length: number) => eventually(async () => (await queueLength(x, name)) === length);
    // Nobody gives these back: their holders are as good as dead.
    await acquire(x, name, options);
    const first = acquire(w, name, options);
    await queue(1);
    const other = acquire(p, name, options);
    await queue(2);
    const second = acquire(w, name, options);
    await queue(3);
    await (await first).release();
    await other;
    const { ms, value } = await took(second);
    expect(ms).toBeLessThan(2_000);
    await value.release();
    await Promise.all([x, w, p].map((one) => one.close()));
  });
});
