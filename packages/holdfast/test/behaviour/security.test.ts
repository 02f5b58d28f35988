/** Forged messages, and secrets that must not show (SECURITY.md). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RedisProcess, startServer, startWorker } from '../../../testkit/src/index.ts';
import { AcquireTimeoutError, ServerRefusedError } from '../../src/index.ts';
import { type Instance, KINDS, open } from './support/instance.ts';
import { commandCounts, freshName, queued } from './support/server.ts';
import { took } from './support/time.ts';

const EVERYTHING = new URL('./workers/everything.mjs', import.meta.url);
const SECRET = 'S3cret-of-the-test';
const USERS = [
  `user admin on >${SECRET} ~* &* +@all`,
  `user user on >${SECRET} ~* &* +@all`,
  `user noscripts on >${SECRET} ~* &* +@all -eval -evalsha`,
  `user nowrite on >${SECRET} ~* &* +@all -zadd`,
  `user mute on >${SECRET} ~* &* +@all -publish`,
  `user deaf on >${SECRET} ~* &* +@all -subscribe`,
  `user narrow on >${SECRET} ~app:* &* +@all`,
];

let server: RedisProcess;
beforeAll(async () => {
  server = await startServer({ aclLines: USERS });
});
afterAll(async () => {
  await server.shutdown();
});
beforeEach(async () => {
  await server.command('FLUSHALL');
});

describe.each(KINDS)('messages that somebody else sends on the channel of a process: %s', (kind) => {
  let holder: Instance;
  let waiter: Instance;
  beforeAll(async () => {
    holder = await open(server.port);
    waiter = await open(server.port, { kind });
  });
  afterAll(async () => {
    await holder[Symbol.asyncDispose]();
    await waiter[Symbol.asyncDispose]();
  });

  async function waitingFor(name: string) {
    const lease = await holder.holdfast.lock(name, { ttlMs: 60_000 }).acquire();
    const waiting = waiter.holdfast.lock(name).acquire();
    let granted = false;
    void waiting.then(
      () => (granted = true),
      () => {},
    );
    await queued(server, name, 1);
    const [entry] = (await server.command('ZRANGE', `holdfast:{${name}}:queue:`, 0, -1)) as string[];
    const [holderId = '', , , channel = ''] = String(entry).split(' ');
    return { lease, waiting, holderId, channel, granted: () => granted };
  }

  const grantFor = (holderId: string, token = Date.now() * 1000) => `${holderId} ${token} ${token} 30000`;
  const sameClient = (holderId: string) => holderId.replace(/hf1-[^.]+/, `hf1-${'A'.repeat(22)}`);

  test('10,000 forged ones grant nothing and make it send next to nothing', async () => {
    const { lease, waiting, holderId, channel, granted } = await waitingFor(freshName());
    const messages: (string | Buffer)[] = [];
    for (let i = 0; i < 10_000; i += 10) {
      const forged = sameClient(holderId);
      messages.push(
        grantFor(forged),
        grantFor(`${forged}:1`),
        grantFor(holderId.slice(0, -1)),
        grantFor(`${holderId}x`),
      );
      messages.push(
        grantFor(holderId.toLowerCase()),
        `${holderId}`,
        `${holderId} 1 1`,
        `${holderId} x 1 1`,
        'hint',
      );
      messages.push(Buffer.from(Array.from({ length: 100 }, (_, n) => (n * i) % 256)));
    }
    const huge = ['x'.repeat(1 << 20), `${holderId} ${'9'.repeat(1 << 20)} 1 1`, Buffer.alloc(1 << 20, 0xff)];
    const before = await commandCounts(server);
    const sent = await server.pipeline([...messages, ...huge].map((text) => ['PUBLISH', channel, text]));
    expect(sent).toEqual([...messages, ...huge].map(() => 1));
    // A message behind them, which it gets: by then it has seen them all.
    await lease.renew();
    const after = await commandCounts(server);
    const cost = [...after.keys()].filter((name) => !/^(publish|info)$/.test(name));
    const calls = cost.reduce((sum, name) => sum + (after.get(name) ?? 0) - (before.get(name) ?? 0), 0);
    expect(calls).toBeLessThan(20);
    expect(granted()).toBe(false);
    await lease.release();
    const { ms, value } = await took(waiting);
    expect(ms).toBeLessThan(1_000);
    expect(await value.release()).toBe('released');
  });

  test('a grant for another waiter of the same process goes to nobody but that waiter', async () => {
    const [one, two] = [await waitingFor(freshName()), await waitingFor(freshName())];
    expect(one.channel).toBe(two.channel);
    await one.lease.release();
    const first = await one.waiting;
    // Its own grant once more, and with a greater token: it has been answered already.
    for (const token of [first.fencingToken, first.fencingToken + 1])
      await server.command('PUBLISH', one.channel, grantFor(one.holderId, token));
    expect(await first.renew()).toBe('renewed');
    expect(two.granted()).toBe(false);
    await first.release();
    await two.lease.release();
    await (await two.waiting).release();
  });

  test('a grant that carries the holderId of a waiter that gave up is no lease', async () => {
    const name = freshName();
    await using lease = await holder.holdfast.lock(name).acquire();
    const abort = new AbortController();
    const waiting = waiter.holdfast.lock(name).acquire({ signal: abort.signal });
    await queued(server, name, 1);
    const [entry] = (await server.command('ZRANGE', `holdfast:{${name}}:queue:`, 0, -1)) as string[];
    const [holderId = '', , , channel = ''] = String(entry).split(' ');
    abort.abort();
    await expect(waiting).rejects.toThrow();
    await server.command('PUBLISH', channel, grantFor(holderId));
    expect(await lease.renew()).toBe('renewed');
    await expect(waiter.holdfast.lock(name).acquire({ waitMs: 50 })).rejects.toBeInstanceOf(
      AcquireTimeoutError,
    );
  });
});

interface Report {
  holderIds: string[];
  passwords: string[];
  seen: string[];
  codes: string[];
  happened: string[];
}

test.each(['ioredis', 'node-redis'])(
  'no holderId and no password shows in anything that Holdfast tells, throws, warns of or prints: %s',
  async (kind) => {
    const worker = startWorker(EVERYTHING, { args: [kind, String(server.port), SECRET] });
    const report = await worker.waitFor<Report>((message) => message?.holderIds !== undefined, 20_000);
    await worker.exited;
    const printed = worker.stdout + worker.stderr;
    const all = [...report.seen, ...report.codes.map(String), printed];

    // It did happen, all of it.
    const { codes, happened } = report;
    expect(codes).toEqual(
      expect.arrayContaining(['HOLDFAST_ACQUIRE_TIMEOUT', 'HOLDFAST_LEASE_LOST', 'OOM', 'NOPERM']),
    );
    expect(codes).toEqual(
      expect.arrayContaining(['HOLDFAST_WRONG_TYPE', 'HOLDFAST_CONNECTION', 'HOLDFAST_CLOSED']),
    );
    expect(codes).toEqual(expect.arrayContaining(['ERR_HOLDFAST_CLIENT']));
    const EVENTS = [
      'acquired',
      'waited',
      'handedOff',
      'renewed',
      'renewalUnknown',
      'lost',
      'released',
      'warning',
    ];
    expect([...happened].sort()).toEqual([...EVENTS].sort());
    expect(report.holderIds.length).toBeGreaterThan(20);
    expect(printed).toContain('Lease {');

    // The random part is what proves ownership; the client's id behind it is public.
    const secrets = report.holderIds.flatMap((id) => /hf1-([\w-]{22})/.exec(id)?.[1] ?? []);
    expect(secrets.length).toBeGreaterThan(20);
    for (const secret of [...new Set(secrets), ...report.passwords, 'hf1-']) {
      const leak = all.find((text) => text.includes(secret));
      expect(leak, `${secret} shows`).toBeUndefined();
    }
  },
);

test.each(KINDS)(
  'a server without EVALSHA, which repeats the arguments in its refusal, does not put a holderId into an error: %s',
  async (kind) => {
    await using bare = await startServer({ lines: ['rename-command EVALSHA ""'] });
    await using instance = await open(bare.port, { kind });
    const errors: unknown[] = [];
    for (const name of ['x', 'a-longer-name'])
      errors.push(
        await instance.holdfast
          .lock(name)
          .acquire({ waitMs: 200 })
          .catch((error: unknown) => error),
      );
    for (let error = errors[0]; error instanceof Error; error = error.cause) {
      expect(`${error.message} ${error.stack}`).not.toMatch(/hf1-/);
      errors.push(error);
    }
    expect(errors[0]).toBeInstanceOf(ServerRefusedError);
    expect(String(errors[0])).toMatch(/unknown command 'EVALSHA'/i);
  },
);
