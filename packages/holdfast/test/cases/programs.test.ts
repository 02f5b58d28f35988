/** CASES.md 9 and 11: a program is neither taken down nor kept alive. */
import { getEventListeners } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  eventually,
  type RedisProcess,
  startProxy,
  startServer,
  startWorker,
} from '../../../testkit/src/index.ts';
import { ioredis, KINDS } from './support/instances.ts';
import { freshName, isFree, queued, took } from './support/moments.ts';

let server: RedisProcess;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await server.shutdown();
});

const WORKER_KINDS = ['ioredis', 'node-redis'];
const worker = (script: string, ...args: string[]) =>
  startWorker(new URL(`./support/${script}.mjs`, import.meta.url), { args });

describe.each(WORKER_KINDS)('a program with %s', (kind) => {
  test('lives on when the connection breaks during renewals and waits, and is served when it is back [9]', async () => {
    await using proxy = await startProxy(server);
    await using other = ioredis(server.port);
    const name = freshName();
    const inTheWay = await other.holdfast.lock(`${name}:waited`, { ttlMs: 1_000 }).acquire();
    await using program = worker('cut-off-holder', kind, String(proxy.port), name);
    await program.waitFor((message) => message === 'holds');
    await queued(server, `${name}:waited`, 1);
    await proxy.refuse();
    proxy.cut();
    const lost = await program.waitFor<{ lost: string }>(
      (message) => (message as { lost: string }).lost !== undefined,
    );
    expect(lost).toEqual({ lost: 'expired', faults: [] });
    await proxy.refuse(false);
    await inTheWay.release();
    expect(await program.waitFor(() => true, 5_000)).toEqual({ got: `${name}:waited`, faults: [] });
    expect(program.running).toBe(true);
    expect(program.stderr).toBe('');
  });

  test.each(['release', 'close', 'release and close'])(
    'ends by itself within a second after %s [11]',
    async (how) => {
      const name = freshName();
      await using program = worker('finished-program', kind, String(server.port), name, how);
      expect(await program.waitFor(() => true)).toEqual({ done: true, faults: [] });
      const { ms, result } = await took(() => program.exited);
      expect(result).toMatchObject({ value: { code: 0, signal: null } });
      expect(ms).toBeLessThan(1_000);
      expect(program.stderr).toBe('');
      expect(await isFree(server, name)).toBe(true);
    },
  );
});

describe.each(KINDS)('with $name', ({ open }) => {
  test('a hundred acquires, waits and aborts leave no listener and no connection [11]', async () => {
    const client = open(server.port);
    const raw = client.raw as NodeJS.EventEmitter;
    const listeners = () =>
      raw
        .eventNames()
        .map((name) => `${String(name)} ${raw.listenerCount(name)}`)
        .sort();
    const name = freshName();
    const lock = client.holdfast.lock(name);
    await using other = ioredis(server.port);
    const controller = new AbortController();
    const round = async () => {
      const lease = await lock.acquire({ signal: controller.signal });
      const waiting = lock.acquire({ signal: controller.signal });
      const ended = await Promise.allSettled([
        lock.acquire({ waitMs: 120 }),
        lock.acquire({ signal: AbortSignal.timeout(20) }),
        lock.acquire({ signal: AbortSignal.abort() }),
        lock.tryAcquire({ signal: controller.signal }),
      ]);
      expect(ended.map((one) => one.status === 'rejected' && one.reason.name)).toEqual([
        'AcquireTimeoutError',
        'TimeoutError',
        'AbortError',
        false,
      ]);
      await lease.release();
      await (await waiting).release();
    };
    await round();
    const before = listeners();
    for (let i = 0; i < 12; i++) await round();
    expect(listeners()).toEqual(before);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    await client.holdfast.close();
    await eventually(async () => (await server.command('CLIENT', 'LIST', 'TYPE', 'pubsub')) === '', {
      what: 'the subscription is closed',
    });
    await using again = await other.holdfast.lock(name).acquire();
    expect(await server.command('EXISTS', `holdfast:{${again.name}}:queue:`)).toBe(0);
    await client[Symbol.asyncDispose]();
  });
});
