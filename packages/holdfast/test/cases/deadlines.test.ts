/** CASES.md 10: every call settles by its deadline. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, type RedisProcess, startProxy, startServer } from '../../../testkit/src/index.ts';
import { type ClientKind, KINDS } from './support/instances.ts';
import { freshName, isFree, isHeldBy, pass, queued, took } from './support/moments.ts';

let server: RedisProcess;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await server.shutdown();
});

describe.each(KINDS)('with $name', ({ open }) => {
  const DEADLINE_MS = 300;
  const SLACK_MS = 350;

  test('every call settles by its deadline while the server is silent, and is undone when it is back [10, 12]', async () => {
    await using proxy = await startProxy(server);
    await using instance = open(proxy.port, { commandTimeoutMs: DEADLINE_MS });
    const { holdfast } = instance;
    const [held, wanted, waited, fn] = [freshName(), freshName(), freshName(), freshName()];
    // Once before, so that the server knows the scripts: nobody sends their text after the deadline.
    await holdfast.lock(held).use(() => {});
    const lease = await holdfast.lock(held).acquire();
    const kept = await holdfast.lock(freshName()).acquire();
    proxy.silence('both');
    const calls = await Promise.all([
      took(() => holdfast.lock(wanted).tryAcquire()),
      took(() => holdfast.lock(waited).acquire({ waitMs: DEADLINE_MS })),
      took(() => holdfast.lock(waited).acquire({ waitMs: 0 })),
      took(() => holdfast.lock(fn).use(() => expect.unreachable(), { waitMs: DEADLINE_MS })),
      took(() => holdfast.inspect(held)),
      took(() => lease.release()),
    ]);
    for (const { ms, result } of calls) {
      expect(result).toMatchObject({ status: 'rejected', reason: { name: 'ConnectionError' } });
      expect(ms).toBeLessThan(DEADLINE_MS + SLACK_MS);
    }
    const renewing = await took(() => kept.renew());
    expect(renewing.result).toEqual({ status: 'fulfilled', value: 'unknown' });
    expect(renewing.ms).toBeLessThan(DEADLINE_MS + SLACK_MS);
    proxy.heal();
    for (const name of [held, wanted, waited, fn])
      await eventually(() => isFree(server, name), { what: `${name} is free`, withinMs: 2_000 });
    expect(await isHeldBy(server, kept)).toBe(true);
  });

  test('close settles by its deadline while the server is silent, and ends the leases [10]', async () => {
    await using proxy = await startProxy(server);
    await using instance = open(proxy.port, { commandTimeoutMs: DEADLINE_MS });
    const lease = await instance.holdfast.lock(freshName()).acquire();
    const waited = instance.holdfast.lock(lease.name).acquire();
    await queued(server, lease.name, 1);
    proxy.silence('both');
    const waiting = took(() => waited);
    const closing = await took(() => instance.holdfast.close());
    expect(closing.result.status).toBe('fulfilled');
    expect(closing.ms).toBeLessThan(DEADLINE_MS + SLACK_MS);
    expect((await waiting).result).toMatchObject({ reason: { name: 'ClosedError', lockName: lease.name } });
    expect(lease.signal.reason).toMatchObject({ name: 'LeaseLostError', reason: 'closed' });
    proxy.heal();
  });

  test('every call settles by its deadline while the client queues commands for a server that is not there [10]', async () => {
    await using proxy = await startProxy(server);
    await proxy.refuse();
    await using instance = open(proxy.port, { commandTimeoutMs: DEADLINE_MS });
    const { holdfast } = instance;
    const names = [freshName(), freshName(), freshName()];
    const calls = await Promise.all([
      took(() => holdfast.lock(names[0] ?? '').tryAcquire()),
      took(() => holdfast.lock(names[1] ?? '').acquire({ waitMs: DEADLINE_MS })),
      took(() => holdfast.lock(names[2] ?? '').use(() => expect.unreachable(), { waitMs: 0 })),
    ]);
    for (const { ms, result } of calls) {
      expect(result).toMatchObject({ reason: { name: 'ConnectionError', code: 'HOLDFAST_CONNECTION' } });
      expect(ms).toBeLessThan(DEADLINE_MS + SLACK_MS);
    }
    await proxy.refuse(false);
    await using lease = await holdfast.lock(freshName()).acquire();
    expect(await isHeldBy(server, lease)).toBe(true);
    for (const name of names)
      await eventually(() => isFree(server, name), { what: `${name} is free`, withinMs: 2_000 });
  });

  test('a wait goes on while the server is away, up to its own deadline [10]', async () => {
    await using proxy = await startProxy(server);
    await using instance = open(proxy.port, { commandTimeoutMs: 100 });
    proxy.silence('both');
    const acquiring = instance.holdfast.lock(freshName()).acquire({ waitMs: 5_000 });
    await pass(350);
    proxy.heal();
    await using lease = await acquiring;
    expect(lease.remainingMs()).toBeGreaterThan(0);
  });
});

test('while the server loads its data there is an answer by the deadline, and the lock when it is done [10, 37]', async () => {
  await using loading = await startServer({
    appendonly: true,
    lines: ['key-load-delay 2000', 'loading-process-events-interval-bytes 1024'],
  });
  await loading.pipeline(Array.from({ length: 1_500 }, (_, i) => ['SET', `filler:${i}`, 'x'.repeat(100)]));
  await loading.restart({ until: 'answer' });
  const withKind = async ({ name, open }: ClientKind) => {
    await using instance = open(loading.port, { commandTimeoutMs: 200 });
    const early = await took(() => instance.holdfast.lock(`early ${name}`).acquire({ waitMs: 300 }));
    const error = { name: expect.stringMatching(/^(ServerRefused|Connection)Error$/) };
    expect(early.result).toMatchObject({ status: 'rejected', reason: error });
    expect(early.ms).toBeLessThan(650);
    await using lease = await instance.holdfast.lock(`late ${name}`).acquire({ waitMs: 15_000 });
    expect(await isHeldBy(loading, lease)).toBe(true);
    await eventually(() => isFree(loading, `early ${name}`), {
      withinMs: 3_000,
      what: `early ${name} is free`,
    });
  };
  await Promise.all(KINDS.map(withKind));
});
