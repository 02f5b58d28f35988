/** `holdfast ls`, `show` and `release` on a real server. */
import { Holdfast, type Lease } from 'holdfast';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eventually, type RedisProcess, startCluster, startServer } from '../../testkit/src/index.ts';
import { run } from './support/cli.ts';
import { hasTmux, Terminal } from './support/tmux.ts';

let server: RedisProcess;
let redis: Redis;
let holdfast: Holdfast;

beforeAll(async () => {
  server = await startServer();
});
beforeEach(async () => {
  await holdfast?.close();
  redis?.disconnect();
  redis = new Redis(server.url);
  await redis.flushall();
  holdfast = new Holdfast(redis, { label: 'tester' });
});
afterAll(async () => {
  await holdfast?.close();
  redis?.disconnect();
  await server?.shutdown();
});

const json = async (...args: string[]) => JSON.parse((await run(server.url, [...args, '--json'])).stdout);
const queueOf = (name: string, length: number) =>
  eventually(async () => (await holdfast.inspect(name)).queueLength === length);

describe('ls', () => {
  test('lists locks and semaphores with their holders, and nothing else', async () => {
    const lease = await holdfast.lock('orders').acquire();
    await holdfast.lock('holdfast:odd').acquire();
    await holdfast.semaphore('seats', { limit: 5 }).acquire({ permits: 2 });
    const waiting = holdfast.lock('orders').acquire();
    await queueOf('orders', 1);
    await redis.mset('cache:1', 'x', 'hf1', 'hf1', 'number', '42');
    await redis.zadd('board', 1, 'a');
    await redis.hset('user', 'limit', 'none');
    await redis.hset('user2', 'limit', '5');
    const { code, stdout } = await run(server.url, ['ls']);
    expect(code).toBe(0);
    const lines = stdout.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^NAME {2,}KIND {2,}HELD {2,}HOLDER {2,}FOR {2,}ENDS IN {2,}WAITING {2,}TOKEN$/);
    expect(lines.slice(1).map((line) => line.split(/ {2,}/)[0])).toEqual(['holdfast:odd', 'orders', 'seats']);
    expect(stdout).toMatch(
      new RegExp(`orders +lock +1/1 +\\S+/${process.pid} \\(tester\\) .* 1 +${lease.fencingToken}`),
    );
    expect(stdout).toMatch(/seats +semaphore +2\/5 /);
    expect(stdout).not.toContain('\u001b');
    const shown = JSON.stringify(await json('ls')) + JSON.stringify(await json('show', 'orders'));
    expect(shown).not.toContain('hf1-');
    expect(shown).not.toContain(lease.holderId.slice(4, 24));
    await lease.release();
    await (await waiting).release();
  });

  test('shows read-write locks: who reads or writes, who waits for what', async () => {
    const doc = holdfast.readWrite('doc');
    await doc.read.acquire();
    await doc.read.acquire();
    const writing = doc.write.acquire({ waitMs: 20_000 }).catch(() => {});
    await eventually(async () => (await doc.inspect()).queueLength === 1);
    await holdfast.readWrite('page').write.acquire();
    const { stdout } = await run(server.url, ['ls']);
    expect(stdout).toMatch(/^doc +read-write lock +2 reading +\S+\/\d+ \(tester\) and 1 more .* 1 +\d+$/m);
    expect(stdout).toMatch(/^page +read-write lock +writing /m);
    const shown = (await run(server.url, ['show', 'doc'])).stdout;
    expect(shown).toMatch(
      /State: +2 reading[\s\S]*HOLDER +ID +MODE[\s\S]* read [\s\S]*WANTS +WAITED\n1 .* write /,
    );
    await holdfast.close();
    await writing;
  });

  test('takes a pattern, and a prefix', async () => {
    const billing = new Holdfast(redis, { prefix: 'billing' });
    await billing.lock('invoice:1').acquire();
    await holdfast.lock('invoice:2').acquire();
    await holdfast.lock('other').acquire();
    expect((await json('ls', 'invoice:*', '--names')).names).toEqual(['invoice:2']);
    expect((await json('ls', '--prefix', 'billing', '--names')).names).toEqual(['invoice:1']);
    expect((await json('ls', 'i*', '--prefix', 'billing')).locks).toMatchObject([
      { name: 'invoice:1', held: 1 },
    ]);
    expect((await run(server.url, ['ls', '--names'])).stdout).toBe('billing:invoice:1\ninvoice:2\nother\n');
    await billing.close();
  });

  test('looks at no more keys than it may, and says so', async () => {
    const pipeline = redis.pipeline();
    for (let i = 0; i < 5_000; i++) pipeline.set(`cache:${i}`, 'x');
    await pipeline.exec();
    const before = await calls();
    const { code, stderr } = await run(server.url, ['ls', '--max-keys', '2000']);
    expect(code).toBe(0);
    expect(stderr).toMatch(/not complete: stopped after 2\d{3} keys; look further with --max-keys/);
    const after = await calls();
    expect(after.scan - before.scan).toBe(2);
    expect(after.keys).toBe(before.keys);
    expect(await json('ls', '--max-keys', '2000')).toMatchObject({ cut: 'keys' });
    const { looked, cut } = await json('ls');
    expect(cut).toBe(undefined);
    // SCAN may tell of a key twice.
    expect(looked).toBeGreaterThanOrEqual(5_000);
    expect(looked).toBeLessThan(5_500);
  });

  test('names with control characters do not reach the terminal', async () => {
    await holdfast.lock('evil\u001b[31m\nname').acquire();
    const { stdout } = await run(server.url, ['ls']);
    expect(stdout).not.toContain('\u001b');
    expect(stdout).toContain('evil\\u001b[31m\\nname');
  });

  test('scans every master of a Cluster', async () => {
    const cluster = await startCluster({ replicasPerMaster: 0 });
    const { Cluster } = await import('ioredis');
    const client = new Cluster(
      cluster.ports.map((port) => ({ host: '127.0.0.1', port })),
      { shardedSubscribers: true },
    );
    const own = new Holdfast(client);
    try {
      const names = Array.from({ length: 12 }, (_, i) => `lock:${i}`);
      for (const name of names) await own.lock(name).acquire();
      const url = `redis-cluster://127.0.0.1:${cluster.ports[0]},127.0.0.1:${cluster.ports[1]}`;
      const { stdout } = await run(url, ['ls', '--names', '--json']);
      expect(JSON.parse(stdout).names).toEqual([...names].sort());
      for (const words of [['run', 'lock:99', '--', 'true'], ['ls'], ['show', 'lock:99']]) {
        const { code, stdout, stderr } = await run(`redis://127.0.0.1:${cluster.ports[0]}`, words);
        expect({ code, stdout }).toEqual({ code: 69, stdout: '' });
        expect(stderr).toContain('redis-cluster://HOST:PORT');
      }
    } finally {
      await own.close();
      client.disconnect();
      await cluster.shutdown();
    }
  }, 120_000);

  async function calls(): Promise<{ scan: number; keys: number }> {
    const info = await redis.info('commandstats');
    const of = (name: string) => Number(new RegExp(`cmdstat_${name}:calls=(\\d+)`).exec(info)?.[1] ?? 0);
    return { scan: of('scan'), keys: of('keys') };
  }
});

describe('show', () => {
  test('shows a free lock, a held one with its queue, and a semaphore', async () => {
    expect((await run(server.url, ['show', 'nothing'])).stdout).toMatch(/State: +free/);
    await holdfast.lock('orders').acquire();
    const waiting = holdfast
      .lock('orders')
      .acquire({ waitMs: 20_000 })
      .catch(() => {});
    await queueOf('orders', 1);
    const { stdout } = await run(server.url, ['show', 'orders']);
    expect(stdout).toMatch(/State: +held/);
    expect(stdout).toMatch(/HOLDER +ID +FOR +ENDS IN +TOKEN/);
    expect(stdout).toMatch(/PLACE +WAITER +ID +PERMITS +WAITED\n1 +\S+\/\d+ \(tester\)/);
    await holdfast.semaphore('seats', { limit: 5, slots: true }).acquire({ permits: 2 });
    expect((await run(server.url, ['show', 'seats'])).stdout).toMatch(
      /2 of 5 permits held[\s\S]*PERMITS +SLOTS[\s\S]*2 +0,1/,
    );
    await holdfast.close();
    await waiting;
  });

  test('tells what its holder waits for meanwhile', async () => {
    const lease = await holdfast.lock('orders').acquire();
    await holdfast.lock('stock').acquire();
    const waiting = holdfast
      .lock('stock')
      .acquire({ waitMs: 20_000, within: lease })
      .catch(() => {});
    await eventually(async () => (await holdfast.inspect('orders')).waits.length === 1);
    const { stdout } = await run(server.url, ['show', 'orders']);
    expect(stdout).toMatch(/WHO HOLDS +WAITS FOR +PROCESS +WAITED\norders +stock +\S+\/\d+ \(tester\)/);
    await holdfast.close();
    await waiting;
  });

  test('tells of a lock of another library, and of a key that is none', async () => {
    await redis.set('foreign', 'abc', 'PX', 60_000, 'NX');
    await redis.rpush('list', 'x');
    expect((await run(server.url, ['show', 'foreign'])).stdout).toMatch(
      /held by another library, for \d+ ms more/,
    );
    const { code, stderr } = await run(server.url, ['show', 'list']);
    expect(code).toBe(65);
    expect(stderr).toMatch(/^holdfast: lock "list": its key holds .*\n$/);
  });
});

describe('release', () => {
  let lease: Lease;
  beforeEach(async () => {
    lease = await holdfast.lock('orders', { ttlMs: 60_000 }).acquire();
  });
  const idOf = async () => (await json('show', 'orders')).holders[0].holder.clientId as string;

  test('wants to be told whose', async () => {
    const { code, stderr } = await run(server.url, ['release', 'orders']);
    expect(code).toBe(64);
    expect(stderr).toContain('--holder ID');
    expect((await holdfast.inspect('orders')).state).toBe('held');
  });

  test('leaves another holder alone', async () => {
    const { code, stderr } = await run(server.url, ['release', 'orders', '--holder', 'somebody']);
    expect(code).toBe(1);
    expect(stderr).toContain('it is not held by somebody');
    expect((await holdfast.inspect('orders')).state).toBe('held');
  });

  test('by the ID that show tells: says what it does, hands on to the next waiter, and leaves a trace', async () => {
    const waiting = holdfast.lock('orders').acquire();
    await queueOf('orders', 1);
    const { code, stdout, stderr } = await run(server.url, ['release', 'orders', '--holder', await idOf()]);
    expect(code).toBe(0);
    expect(stdout).toContain('released, and handed to the next waiter');
    expect(stderr).toMatch(/This releases orders, held by .*token \d+\.\nThen .* gets it \(1 waiting\)\./);
    const next = await waiting;
    expect(next.fencingToken).toBeGreaterThan(lease.fencingToken);
    const { trace } = await json('show', 'orders');
    expect(trace).toMatchObject([
      { outcome: 'handedOff', fencingToken: lease.fencingToken, by: expect.stringMatching(/.+@.+, pid \d+/) },
    ]);
    expect(JSON.stringify(trace)).not.toContain('hf1-');
    expect(await redis.pttl('holdfast:trace')).toBeGreaterThan(0);
    expect((await run(server.url, ['show', 'orders'])).stdout).toContain('RELEASED BY FORCE');
    await next.release();
  });

  test('by host/pid, by token, and by force', async () => {
    const { host, pid } = (await json('show', 'orders')).holders[0].holder;
    expect((await run(server.url, ['release', 'orders', '--holder', `${host}/${pid}`])).code).toBe(0);
    const second = await holdfast.lock('orders').acquire();
    expect((await run(server.url, ['release', 'orders', '--holder', String(second.fencingToken)])).code).toBe(
      0,
    );
    await holdfast.lock('orders').acquire();
    expect(await json('release', 'orders', '--force')).toMatchObject({ released: [{ outcome: 'released' }] });
    expect((await run(server.url, ['release', 'orders', '--force'])).code).toBe(1);
  });

  test('frees a lock of another library by force only', async () => {
    await redis.set('foreign', '1');
    expect((await run(server.url, ['release', 'foreign', '--holder', '1'])).code).toBe(1);
    const { code, stderr } = await run(server.url, ['release', 'foreign', '--force']);
    expect(code).toBe(0);
    expect(stderr).toContain('WITHOUT an expiry');
    expect(await redis.exists('foreign')).toBe(0);
  });

  test('of a semaphore: the leases of that holder only', async () => {
    const seats = holdfast.semaphore('seats', { limit: 5 });
    const mine = await seats.acquire({ permits: 2 });
    const other = await seats.acquire();
    const { code } = await run(server.url, ['release', 'seats', '--holder', String(mine.fencingToken)]);
    expect(code).toBe(0);
    expect(await seats.inspect()).toMatchObject({ held: 1, leases: [{ fencingToken: other.fencingToken }] });
  });

  describe.skipIf(!hasTmux('the question of holdfast release'))('on a terminal', () => {
    let terminal: Terminal;
    beforeAll(() => {
      terminal = new Terminal('release');
    });
    afterAll(() => terminal?.shut());

    test.each([
      ['n', ['n', 'Enter']],
      ['Enter alone', ['Enter']],
      ['Ctrl-C', ['C-c']],
      ['Ctrl-D', ['C-d']],
    ])('it asks first; %s leaves all as it was', async (_, keys) => {
      terminal.holdfast(server.url, 'release orders --force');
      await terminal.shows(/This releases orders, held by .*\nNobody waits: [\s\S]*Release it\? \[y\/N\]/);
      terminal.type(...keys);
      await terminal.shows(/nothing was done\s+ended with 1/);
      expect((await holdfast.inspect('orders')).fencingToken).toBe(lease.fencingToken);
    });

    test('y releases it', async () => {
      terminal.holdfast(server.url, 'release orders --force --json');
      await terminal.shows(/Release it\?/);
      terminal.type('y', 'Enter');
      await terminal.shows(/"outcome": "released"[\s\S]*ended with 0/);
      expect((await holdfast.inspect('orders')).state).toBe('free');
    });
  });

  test('of a read-write lock: a writer, then all its readers', async () => {
    const doc = holdfast.readWrite('doc');
    const writer = await doc.write.acquire({ ttlMs: 60_000 });
    const reading = [doc.read.acquire(), doc.read.acquire()];
    await eventually(async () => (await doc.inspect()).queueLength === 2);
    const one = await run(server.url, ['release', 'doc', '--holder', String(writer.fencingToken)]);
    expect(one.stdout).toMatch(/^write of doc, held by \S+ .*: released, and handed to the next waiter\n$/);
    expect(one.stderr).toMatch(/^This releases write of doc, /);
    await Promise.all(reading);
    const all = await run(server.url, ['release', 'doc', '--force']);
    expect([one.code, all.code]).toEqual([0, 0]);
    expect(all.stdout).toMatch(/^(read of doc, held by .*: released\n){2}$/);
    expect((await doc.inspect()).state).toBe('free');
  });
});
