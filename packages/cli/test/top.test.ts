/** `holdfast top`: under tmux as a user has it, and its pure parts. */
import { Holdfast } from 'holdfast';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, type RedisProcess, startServer } from '../../testkit/src/index.ts';
import type { Entry } from '../src/look/overview.ts';
import { keysIn, press, START, type State } from '../src/top/state.ts';
import { waitChains } from '../src/top/waits.ts';
import { run } from './support/cli.ts';
import { hasTmux, Terminal } from './support/tmux.ts';

let server: RedisProcess;
let redis: Redis;
let a: Holdfast;
let b: Holdfast;
beforeAll(async () => {
  server = await startServer();
  redis = new Redis(server.url);
  a = new Holdfast(redis, { label: 'worker a' });
  b = new Holdfast(redis, { label: 'worker b' });
  await a.lock('orders', { ttlMs: 60_000 }).acquire();
  await b.lock('stock', { ttlMs: 30_000 }).acquire();
  await a.semaphore('seats', { limit: 3 }).acquire(2);
  // Each waits for what the other holds.
  a.lock('stock')
    .acquire({ waitMs: 120_000 })
    .catch(() => {});
  b.lock('orders')
    .acquire({ waitMs: 120_000 })
    .catch(() => {});
  await eventually(
    async () => (await a.inspect('stock')).queueLength + (await a.inspect('orders')).queueLength === 2,
  );
});
afterAll(async () => {
  await Promise.all([a?.close(), b?.close()]);
  redis?.disconnect();
  await server?.shutdown();
});

describe.skipIf(!hasTmux('holdfast top on a terminal'))('on a terminal', () => {
  let terminal: Terminal;
  const shows = (pattern: RegExp) => terminal.shows(pattern);
  const type = (...keys: string[]) => terminal.type(...keys);

  beforeAll(() => {
    terminal = new Terminal('top');
    terminal.holdfast(server.url, 'top --interval 200ms');
  });
  afterAll(() => terminal?.shut());

  test('shows locks, semaphores, queues, and who waits for whom', async () => {
    await shows(/holdfast top {2}3 held, 2 waiting, sorted by NAME/);
    await shows(/orders +lock +1\/1 +\S+\/\d+ \(worker a\).* 1 /);
    await shows(/seats +semaphore +2\/3/);
    await shows(
      /WHO WAITS FOR WHOM[\s\S]*worker a\) → stock .*worker b\)\) → orders .*worker a\)\) DEADLOCK\?/,
    );
  });

  test('follows what happens', async () => {
    const lease = await a.lock('passing').acquire();
    await shows(/^passing /m);
    await lease.release();
    await eventually(() => !/passing/.test(terminal.text), { withinMs: 10_000 });
  });

  test('sorts, filters, shows one, goes back, pauses, quits, and gives the screen back', async () => {
    type('s');
    await shows(/sorted by FOR/);
    type('/');
    type('sea');
    await shows(/\/sea_/);
    type('Enter');
    await eventually(() => /^seats/m.test(terminal.text) && !/^orders/m.test(terminal.text), {
      withinMs: 10_000,
    });
    type('Enter');
    await shows(/Name: +seats\n.*\nState: +2 of 3 permits held/);
    type('Escape');
    await shows(/filter: sea/);
    type('Escape');
    await shows(/^orders /m);
    type('p');
    await shows(/PAUSED/);
    type('q');
    await shows(/ended with 0/);
    expect(terminal.text).not.toContain('WHO WAITS');
  });

  test('tells that the server is gone, and goes on when it is back', async () => {
    const own = await startServer();
    try {
      terminal.holdfast(own.url, 'top --interval 200ms');
      await shows(/Nothing is held/);
      const client = new Redis(own.url);
      const holdfast = new Holdfast(client);
      await holdfast.lock('later', { ttlMs: 60_000 }).acquire();
      await shows(/^later /m);
      own.stop();
      await shows(/no answer from the server/);
      own.cont();
      await eventually(() => !/no answer/.test(terminal.text), { withinMs: 10_000 });
      await shows(/^later /m);
      await holdfast.close();
      client.disconnect();
      type('C-c');
      await shows(/ended with 0/);
    } finally {
      await own.shutdown();
    }
  }, 90_000);
});

describe('without a terminal', () => {
  test('--once prints one look, with --json as a document', async () => {
    const { code, stdout } = await run(server.url, ['top', '--once']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/orders[\s\S]*seats[\s\S]*stock[\s\S]*DEADLOCK\?/);
    const { locks, waits } = JSON.parse((await run(server.url, ['top', '--json', 'o*'])).stdout);
    expect(locks).toMatchObject([{ name: 'orders', queueLength: 1 }]);
    expect(waits).toHaveLength(1);
  });
});

describe('keys', () => {
  const names = ['a', 'b', 'c'];
  const after = (keys: string[], from: State = START) =>
    keys.reduce<State | 'quit'>((state, key) => (state === 'quit' ? state : press(state, key, names)), from);

  test.each<[string, string[], Partial<State> | 'quit']>([
    ['q quits', ['q'], 'quit'],
    ['Ctrl-C quits, also while a filter is typed', ['/', 'a', '\u0003'], 'quit'],
    ['q is a letter of a filter', ['/', 'q', '\r'], { filter: 'q', typing: false }],
    ['the arrows stay within the list', ['\u001b[A', 'j', 'j', 'j', 'j'], { selected: 2 }],
    ['Enter shows the selected one, Esc goes back', ['j', '\r'], { shown: 'b' }],
    ['Esc goes back', ['j', '\r', '\u001b'], { shown: undefined, selected: 1 }],
    ['backspace', ['/', 'a', 'b', '\u007f'], { filter: 'a', typing: true }],
    ['s goes round', ['s', 's', 's', 's'], { sort: 'NAME' }],
  ])('%s', (_, keys, state) => {
    if (state === 'quit') expect(after(keys)).toBe('quit');
    else expect(after(keys)).toMatchObject(state);
  });

  test('several that come at once are parted', () => {
    expect(keysIn('ab\u001b[A\u001b[6~é\u001b')).toEqual(['a', 'b', '\u001b[A', '\u001b[6~', 'é', '\u001b']);
  });
});

test('a chain of waits is followed to its end, and a round one is bounded', () => {
  const card = (id: string) => ({ clientId: id, host: id, pid: 1 });
  const entry = (name: string, holder: string, waiter: string): Entry => ({
    name,
    kind: 'lock',
    limit: 1,
    held: 1,
    holders: [{ holder: card(holder), permits: 1, slots: [], fencingToken: 1, heldForMs: 1, remainingMs: 1 }],
    queueLength: 1,
    queue: [{ waiter: card(waiter), permits: 1, waitedMs: 1 }],
    waits: [],
    fencingToken: 1,
    note: undefined,
  });
  expect(waitChains([entry('x', 'b', 'a'), entry('y', 'c', 'b')], 9)).toEqual([
    'a/1 → x (b/1) → y (c/1)',
    'b/1 → y (c/1)',
  ]);
  const round = [entry('x', 'b', 'a'), entry('y', 'c', 'b'), entry('z', 'b', 'c')];
  expect(waitChains(round, 1)[0]).toMatch(/^a\/1( → .+){8}$/);
  expect(waitChains([entry('x', 'a', 'a')], 9)).toEqual(['a/1 → x (a/1)']);
});
