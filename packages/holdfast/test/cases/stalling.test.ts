/** CASES.md 4 and 5: a process that stands still longer than its lease. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RedisProcess, startServer, startWorker } from '../../../testkit/src/index.ts';
import { ioredis } from './support/instances.ts';
import { block, freshName, isHeldBy } from './support/moments.ts';

let server: RedisProcess;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await server.shutdown();
});

describe('a process that stands still', () => {
  test('after a stop that outlasts the lease, the first look at it and the first event are its loss [4]', async () => {
    await using other = ioredis(server.port);
    const name = freshName();
    await using worker = startWorker(new URL('./support/stopped-holder.mjs', import.meta.url), {
      args: [String(server.port), name],
    });
    await worker.waitFor((message) => message === 'renewed');
    worker.stop();
    await using next = await other.holdfast.lock(name, { ttlMs: 2_000 }).acquire();
    worker.cont();
    const report = await worker.waitFor<StoppedReport>(
      (message) => (message as StoppedReport).log !== undefined,
    );
    const afterStop = report.log.slice(report.log.indexOf('woke') + 1);
    expect(afterStop[0]).toBe('aborted');
    expect(afterStop).not.toContain('renewed');
    expect(report).toMatchObject({ reason: 'expired', released: 'lost', faults: [] });
    expect(await isHeldBy(server, next)).toBe(true);
    expect(await worker.exited).toEqual({ code: 0, signal: null });
    expect(worker.stderr).toBe('');
  });

  test('after a blocked event loop nothing is left of the lease, before any timer has run [5]', async () => {
    await using holder = ioredis(server.port);
    const lease = await holder.holdfast.lock(freshName(), { ttlMs: 150 }).acquire();
    const { signal } = lease;
    block(300);
    expect(lease.remainingMs()).toBe(0);
    expect(signal.aborted).toBe(true);
    expect(signal.reason).toMatchObject({ reason: 'expired' });
    expect(await lease.release()).toBe('expired');
  });

  test('after a blocked event loop the signal aborts before anything else arrives [5]', async () => {
    await using holder = ioredis(server.port);
    const lease = await holder.holdfast.lock(freshName(), { ttlMs: 150 }).acquire();
    const order: string[] = [];
    lease.signal.addEventListener('abort', () => order.push('aborted'));
    const reply = holder.raw.ping().then(() => order.push('a reply'));
    block(300);
    await reply;
    expect(order).toEqual(['aborted', 'a reply']);
  });

  test('a renewal whose answer is read after the end of the lease does not revive it [5]', async () => {
    await using holder = ioredis(server.port);
    const lease = await holder.holdfast.lock(freshName(), { ttlMs: 150 }).acquire();
    const renewing = lease.renew();
    block(300);
    expect(await renewing).toBe('lost');
    expect(lease.remainingMs()).toBe(0);
  });
});

interface StoppedReport {
  log: string[];
  reason: string;
  released: string;
  faults: string[];
}
