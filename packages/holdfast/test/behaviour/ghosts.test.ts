/**
 * Queue entries of waiters whose acquire is over: an ask that was sent again after a reconnect joins the queue once more, and a server that comes
 * back with older data has everybody in it who waited then. Whoever is handed the lock by mistake gives it back at once.
 */
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, type RedisProcess, startServer } from '../../../testkit/src/index.ts';
import { Holdfast, type Lease } from '../../src/index.ts';
import { freshName } from './support/server.ts';
import { took } from './support/time.ts';

/** A lease that is handed over to a ghost would last for three seconds at first. */
const SOON_MS = 1_000;

let server: RedisProcess;
const parts: { readonly redis: Redis; readonly holdfast: Holdfast }[] = [];

beforeAll(async () => {
  server = await startServer();
});

afterAll(async () => {
  for (const { holdfast } of parts) await holdfast.close();
  for (const { redis } of parts) redis.disconnect();
  await server.shutdown();
});

function open(): Holdfast {
  const redis = new Redis(server.port);
  const holdfast = new Holdfast(redis);
  parts.push({ redis, holdfast });
  return holdfast;
}

const subjects = [
  { kind: 'lock', queue: 'queue', of: (holdfast: Holdfast, name: string) => holdfast.lock(name) },
  {
    kind: 'semaphore',
    queue: 'waiters',
    of: (holdfast: Holdfast, name: string) => holdfast.semaphore(name, { limit: 1 }),
  },
];

describe.each(subjects)('a $kind', ({ queue, of }) => {
  let name: string;
  let key: string;
  const entries = () => server.command('ZRANGE', key, '0', '-1', 'WITHSCORES') as Promise<string[]>;
  const inQueue = (count: number) =>
    eventually(async () => (await entries()).length === 2 * count, { everyMs: 2 });

  async function setUp() {
    name = freshName();
    key = `holdfast:{${name}}:${queue}:`;
    const [holder, ghost, next] = [open(), open(), open()];
    return { holder: of(holder, name), ghost: of(ghost, name), next: of(next, name) };
  }

  /** The only waiter as the server has it now: put back when it is over, it is a ghost. */
  async function waiterSeen(): Promise<() => Promise<unknown>> {
    await inQueue(1);
    const [entry = '', ticket = ''] = await entries();
    return () => server.command('ZADD', key, ticket, entry);
  }

  async function passedOn(holding: Lease, next: ReturnType<typeof of>): Promise<void> {
    const waiting = next.acquire();
    await inQueue(2);
    await holding.release();
    const { value, ms } = await took(waiting);
    expect(ms).toBeLessThan(SOON_MS);
    await value.release();
  }

  test('is not left with a waiter that had its lease and has released it', async () => {
    const { holder, ghost, next } = await setUp();
    const first = await holder.acquire();
    const waited = ghost.acquire();
    const putBack = await waiterSeen();
    await first.release();
    await (await waited).release();
    const holding = await holder.acquire();
    await putBack();
    await passedOn(holding, next);
  });

  test('is not left with a waiter that gave up, and not the next time either', async () => {
    const { holder, ghost, next } = await setUp();
    const holding = await holder.acquire();
    const controller = new AbortController();
    const waited = ghost.acquire({ signal: controller.signal });
    const putBack = await waiterSeen();
    controller.abort();
    await waited.catch(() => {});
    await putBack();
    await passedOn(holding, next);
    const again = await holder.acquire();
    await putBack();
    await passedOn(again, next);
  });

  test('stays with a waiter that holds it when its grant comes a second time', async () => {
    const { holder, ghost, next } = await setUp();
    const first = await holder.acquire();
    const messages: [channel: string, text: string][] = [];
    const ear = await server.connect({
      onMessage: (message) => {
        const [, , channel, text] = message as string[];
        messages.push([String(channel), String(text)]);
      },
    });
    await ear.command('PSUBSCRIBE', 'holdfast:grants:*');
    const waited = ghost.acquire();
    await inQueue(1);
    await first.release();
    const lease = await waited;
    await eventually(() => messages.length > 0);
    for (const [channel, text] of messages) await server.command('PUBLISH', channel, text);
    expect(await lease.renew()).toBe('renewed');
    expect(await next.tryAcquire()).toBeUndefined();
    expect(await lease.release()).toBe('released');
    ear.close();
  });
});
