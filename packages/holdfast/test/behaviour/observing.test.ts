/** What Holdfast tells of itself: events, `node:diagnostics_channel`, `inspect`. */
import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';
import { hostname } from 'node:os';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eventually, type RedisProcess, startServer, startWorker } from '../../../testkit/src/index.ts';
import type { HoldfastEventName, HoldfastEvents } from '../../src/index.ts';
import { type Instance, KINDS, open } from './support/instance.ts';
import { callsDuring, freshName, queued } from './support/server.ts';

const LABELLED = new URL('./workers/labelled.mjs', import.meta.url);
const NAMES = [
  'acquired',
  'waited',
  'handedOff',
  'renewed',
  'renewalUnknown',
  'lost',
  'released',
  'warning',
] as const satisfies readonly HoldfastEventName[];

let server: RedisProcess;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await server.shutdown();
});
beforeEach(async () => {
  await server.command('FLUSHALL');
});

describe.each(KINDS)('%s', (kind) => {
  let instance: Instance;
  beforeAll(async () => {
    instance = await open(server.port, { kind });
  });
  afterAll(async () => {
    await instance[Symbol.asyncDispose]();
  });

  test('a lease tells its story: acquired, renewed, released, with token and durations', async () => {
    const story: [HoldfastEventName, object][] = [];
    await using own = await open(server.port, { kind });
    for (const name of NAMES) own.holdfast.on(name, (event) => story.push([name, event]));
    const name = freshName();
    const lease = await own.holdfast.lock(name, { ttlMs: 5_000 }).acquire();
    await lease.renew();
    await lease.release();
    const told = { name, fencingToken: lease.fencingToken };
    const ms = expect.any(Number);
    expect(story).toEqual([
      ['acquired', { ...told, ttlMs: 5_000, tookMs: ms, handedOff: false }],
      ['renewed', { ...told, tookMs: ms, remainingMs: ms }],
      ['released', { ...told, heldMs: ms, tookMs: ms, outcome: 'released' }],
    ]);
  });

  test('a hand-off is told by both sides, a wait that ends otherwise by its outcome', async () => {
    await using other = await open(server.port, { kind });
    const name = freshName();
    const handedOff: HoldfastEvents['handedOff'][] = [];
    const acquired: HoldfastEvents['acquired'][] = [];
    const outcomes: string[] = [];
    const lease = await instance.holdfast.lock(name).acquire();
    instance.holdfast.on('handedOff', (event) => handedOff.push(event));
    other.holdfast.on('acquired', (event) => acquired.push(event));
    other.holdfast.on('waited', ({ outcome }) => outcomes.push(outcome));
    const lock = other.holdfast.lock(name);
    await expect(lock.acquire({ waitMs: 20 })).rejects.toThrow();
    await expect(lock.acquire({ signal: AbortSignal.timeout(20) })).rejects.toThrow();
    const waiting = lock.acquire();
    await queued(server, name, 1);
    await lease.release();
    const next = await waiting;
    await next.release();
    expect(outcomes).toEqual(['timeout', 'aborted', 'acquired']);
    expect(handedOff).toMatchObject([{ name, fencingToken: lease.fencingToken }]);
    expect(acquired).toMatchObject([{ name, fencingToken: next.fencingToken, handedOff: true }]);
  });

  test('the same events are on diagnostics_channel, as long as somebody subscribes', async () => {
    const heard: unknown[] = [];
    const listener = (event: unknown) => void heard.push(event);
    subscribe('holdfast:acquired', listener);
    const lock = instance.holdfast.lock(freshName());
    const lease = await lock.acquire();
    await lease.release();
    unsubscribe('holdfast:acquired', listener);
    await (await lock.acquire()).release();
    expect(heard).toEqual([expect.objectContaining({ name: lock.name, fencingToken: lease.fencingToken })]);
    for (const name of NAMES) expect(channel(`holdfast:${name}`).hasSubscribers).toBe(false);
  });

  test('an event cannot be changed for the next listener', async () => {
    const name = freshName();
    const seen: object[] = [];
    const spoil = (event: HoldfastEvents['acquired']) => {
      expect(() => Object.assign(event, { name: 'spoilt' })).toThrow(TypeError);
    };
    const read = (event: HoldfastEvents['acquired']) => void seen.push(event);
    instance.holdfast.on('acquired', spoil).on('acquired', read);
    await instance.holdfast.lock(name).use(() => {});
    instance.holdfast.off('acquired', spoil).off('acquired', read);
    expect(seen).toMatchObject([{ name }]);
    await instance.holdfast.lock(name).use(() => {});
    expect(seen).toHaveLength(1);
  });

  test('inspecting neither changes a lock nor writes anything, and costs two commands', async () => {
    const name = freshName();
    await using lease = await instance.holdfast.lock(name).acquire();
    await server.command('PEXPIRE', name, 5_000);
    const writes = ['set', 'zadd', 'zrem', 'pexpire', 'del', 'zpopmin'];
    const look = () => instance.holdfast.inspect(name);
    expect(await callsDuring(server, writes, look)).toBe(0);
    const { remainingMs = 0, heldForMs = 0, ...seen } = await look();
    expect(seen).toMatchObject({ state: 'held', fencingToken: lease.fencingToken, queueLength: 0 });
    expect(remainingMs).toBeLessThanOrEqual(5_000);
    expect(heldForMs).toBeGreaterThan(0);
  });
});

/** Runs a program that holds a lock and whose listeners throw; it says how the lock fared. */
test('a listener that throws, on an instance or a channel, changes nothing for the lock', async () => {
  const worker = startWorker(new URL('./workers/throwing-listeners.mjs', import.meta.url), {
    args: [String(server.port)],
  });
  const report = await worker.waitFor<{ outcomes: string[]; thrown: number; others: string[] }>(
    (message) => message?.outcomes !== undefined,
  );
  expect(report.outcomes).toEqual([
    'acquired',
    'busy',
    'handed off',
    'renewed',
    'released',
    'lost: max-hold',
  ]);
  // None is swallowed: each is an uncaught exception of the program, as it would be from any other listener.
  expect(report.thrown).toBeGreaterThan(10);
  expect(report.others).toEqual([]);
  await worker.exited;
});

test('inspect shows host, process id and label of a holder in another process, and how long it has held', async () => {
  const name = freshName();
  await using here = await open(server.port);
  const worker = startWorker(LABELLED, { args: [String(server.port), name, 'the night shift'] });
  await worker.waitFor((message) => message === 'holds');
  const seen = await eventually(async () => {
    const inspection = await here.holdfast.inspect(name);
    return inspection.holder?.pid === undefined ? undefined : inspection;
  });
  expect(seen).toMatchObject({ name, state: 'held', foreign: false, queueLength: 0 });
  expect(seen.holder).toEqual({
    clientId: expect.any(String),
    host: hostname(),
    pid: worker.pid,
    label: 'the night shift',
  });
  expect(seen.heldForMs).toBeLessThan(20_000);
  const waiting = here.holdfast.lock(name).acquire();
  await queued(server, name, 1);
  expect(await here.holdfast.inspect(name)).toMatchObject({ queueLength: 1 });
  worker.send('release');
  await using lease = await waiting;
  const mine = await here.holdfast.inspect(name);
  expect(mine).toMatchObject({ state: 'held', fencingToken: lease.fencingToken, queueLength: 0 });
  expect(mine.holder).toMatchObject({ pid: process.pid, label: undefined });
  await worker.exited;
});

test('a card that somebody else has written is taken over field by field, and only what has the right type', async () => {
  const name = freshName();
  await using here = await open(server.port, { label: 'honest' });
  await using _lease = await here.holdfast.lock(name).acquire();
  const { holder } = await here.holdfast.inspect(name);
  const card = `holdfast:process:${holder?.clientId}`;
  const forged = [
    '{"host":{"a":1},"pid":"1","label":["x"],"clientId":"other","__proto__":{"polluted":1}}',
    '[]',
    'null',
    '"text"',
    '1e999',
    'not JSON',
    '',
    `{"label":"${'x'.repeat(2_000)}"}`,
  ];
  for (const text of forged) {
    await server.command('SET', card, text, 'PX', 60_000);
    const seen = await here.holdfast.inspect(name);
    expect(seen.holder, text.slice(0, 80)).toEqual({
      clientId: holder?.clientId,
      host: undefined,
      pid: undefined,
      label: undefined,
    });
    expect('polluted' in {}).toBe(false);
  }
  await server.command('DEL', card);
  await server.command('RPUSH', card, 'a list');
  expect(await here.holdfast.inspect(name)).toMatchObject({ state: 'held', holder: { label: undefined } });
});
