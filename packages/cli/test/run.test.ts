/** `holdfast run`, end to end on a real server. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, type RedisProcess, startServer } from '../../testkit/src/index.ts';
import { folder, isAlive, lineIn, run, start } from './support/cli.ts';

let server: RedisProcess;
let redis: Redis;
const dir = folder();
let number = 0;
const fresh = () => `job:${++number}`;
const freshFile = () => join(dir, `file-${++number}`);

beforeAll(async () => {
  server = await startServer();
  redis = new Redis(server.url);
});
afterAll(async () => {
  redis?.disconnect();
  await server?.shutdown();
});

/** For a command that goes on; not for ever, whatever becomes of the test. */
const ON = 'i=0; while [ $((i += 1)) -lt 600 ]; do sleep 0.1; done';

const ttlOf = (name: string) => redis.pttl(name);

/** Starts a command that says `ready` when it is, and holds the lock until it is ended. */
async function holder(name: string, options: readonly string[] = [], script = 'ready; exec sleep 100') {
  const file = freshFile();
  const line = `ready() { echo $$ > ${file}; }; ${script}`;
  const held = start(server.url, ['run', name, '--verbose', ...options, '--shell', '--', line]);
  const pid = Number(await lineIn(file));
  // Said when the guard knows it.
  await eventually(() => held.text.stderr.includes(`process group ${pid}\n`), { withinMs: 10_000 });
  return { ...held, command: pid };
}

describe('the command', () => {
  test('gets name, token and time; its input, output and exit code are its own', async () => {
    const name = fresh();
    const script =
      'cat; printf "%s|%s|%s" "$HOLDFAST_NAME" "$HOLDFAST_FENCING_TOKEN" "$HOLDFAST_EXPIRES_IN_MS"; printf err >&2; exit 7';
    const { code, stdout, stderr } = await run(
      server.url,
      ['run', name, '--ttl', '20s', '--', 'sh', '-c', script],
      {
        input: 'in\u0000put ',
      },
    );
    expect({ code, stderr }).toEqual({ code: 7, stderr: 'err' });
    const [text, token, ms] = stdout.split('|');
    expect(text).toBe(`in\u0000put ${name}`);
    expect(Number(token)).toBeGreaterThan(1.7e15);
    expect(Number(ms)).toBeGreaterThan(15_000);
    expect(Number(ms)).toBeLessThanOrEqual(20_000);
    expect(await redis.exists(name)).toBe(0);
  });

  test('holds the lock as long as it runs, renewed, and no longer', async () => {
    const name = fresh();
    const held = await holder(name, ['--ttl', '600ms'], 'ready; sleep 2');
    await eventually(async () => (await ttlOf(name)) > 0);
    const until = performance.now() + 1_500;
    while (performance.now() < until) {
      expect(await ttlOf(name)).toBeGreaterThan(0);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect((await held.ended).code).toBe(0);
    expect(await redis.exists(name)).toBe(0);
  });

  test.each([
    ['that is not there', ['no-such-command-anywhere'], 127, /no-such-command-anywhere: command not found/],
    ['that may not be executed', [join(dir, 'plain')], 126, /permission denied/],
  ])('%s', async (_, words, code, sentence) => {
    writeFileSync(join(dir, 'plain'), 'no program');
    const name = fresh();
    const ended = await run(server.url, ['run', name, '--', ...words]);
    expect(ended).toMatchObject({ code, stdout: '' });
    expect(ended.stderr).toMatch(sentence);
    expect(ended.stderr.trim().split('\n')).toHaveLength(1);
    expect(await redis.exists(name)).toBe(0);
  });

  test('that a signal ends gives 128 and its number', async () => {
    const { code } = await run(server.url, ['run', fresh(), '--', 'sh', '-c', 'kill -USR1 $$']);
    expect(code).toBe(128 + 10);
  });

  test('may be one line for the shell, and only one', async () => {
    const { code, stdout } = await run(server.url, [
      'run',
      fresh(),
      '--shell',
      '--',
      'echo one && false || exit 5',
    ]);
    expect({ code, stdout }).toEqual({ code: 5, stdout: 'one\n' });
    expect(await run(server.url, ['run', fresh(), '--shell', '--', 'echo', 'one'])).toMatchObject({
      code: 64,
    });
  });

  test('keeps options of its own that look like ours', async () => {
    const { stdout } = await run(server.url, ['run', fresh(), '--', 'echo', '--ttl', '1s', '--json', '--']);
    expect(stdout).toBe('--ttl 1s --json --\n');
  });
});

describe('busy', () => {
  let name: string;
  beforeAll(async () => {
    name = fresh();
    await holder(name, ['--label', 'the first']);
  });

  test('ends at once with 75 and says who holds it', async () => {
    const { code, stdout, stderr } = await run(server.url, ['run', name, '--no-wait', '--', 'echo', 'ran']);
    expect({ code, stdout }).toEqual({ code: 75, stdout: '' });
    expect(stderr).toMatch(/^holdfast: job:\d+ is busy \(.+\/\d+ \(the first\), for .+\)\n$/);
  });

  test('--wait waits so long, --busy-exit says with which code, --quiet says nothing', async () => {
    const startedAt = performance.now();
    const args = ['run', name, '--wait', '700ms', '--busy-exit', '9', '--quiet', '--', 'echo', 'ran'];
    expect(await run(server.url, args)).toEqual({ code: 9, stdout: '', stderr: '' });
    expect(performance.now() - startedAt).toBeGreaterThan(700);
  });

  test('--json tells it as one JSON document on stderr', async () => {
    const { stderr } = await run(server.url, ['run', name, '--no-wait', '--json', '--', 'true']);
    expect(JSON.parse(stderr)).toEqual({ note: expect.stringContaining('is busy') });
  });

  test('a wait that a signal ends leaves no place in the queue', async () => {
    const waiting = start(server.url, ['run', name, '--wait', 'forever', '--', 'echo', 'ran']);
    const queue = `holdfast:{${name}}:queue:`;
    await eventually(async () => (await redis.zcard(queue)) === 1, { withinMs: 10_000 });
    waiting.child.kill('SIGINT');
    expect(await waiting.ended).toMatchObject({ code: 130, stdout: '' });
    expect(await redis.zcard(queue)).toBe(0);
  });
});

test('who waited starts with a full lease as soon as the holder has ended', async () => {
  const name = fresh();
  const first = await holder(name, ['--ttl', '20s']);
  const next = start(server.url, [
    'run',
    name,
    '--ttl',
    '20s',
    '--',
    'sh',
    '-c',
    'echo $HOLDFAST_EXPIRES_IN_MS',
  ]);
  await eventually(async () => (await redis.zcard(`holdfast:{${name}}:queue:`)) === 1, { withinMs: 10_000 });
  first.child.kill('SIGTERM');
  expect((await first.ended).code).toBe(143);
  const { code, stdout } = await next.ended;
  expect(code).toBe(0);
  expect(Number(stdout)).toBeGreaterThan(15_000);
});

describe('signals', () => {
  test('SIGTERM of ours goes to the command, whose exit code counts, and the lock is released', async () => {
    const name = fresh();
    const held = await holder(name, [], `trap 'echo bye; exit 3' TERM; ready; ${ON}`);
    held.child.kill('SIGTERM');
    expect(await held.ended).toMatchObject({ code: 3, stdout: 'bye\n' });
    expect(await redis.exists(name)).toBe(0);
  });

  test('SIGTERM reaches what the command has started, too', async () => {
    const file = freshFile();
    const held = await holder(fresh(), [], `sleep 100 & echo $! > ${file}; ready; wait`);
    const grandchild = Number(await lineIn(file));
    held.child.kill('SIGTERM');
    await held.ended;
    await eventually(() => !isAlive(grandchild));
  });

  test('as long as a command ignores SIGTERM it holds the lock', async () => {
    const name = fresh();
    const held = await holder(name, [], "trap '' TERM; ready; sleep 1.5; exit 4");
    held.child.kill('SIGTERM');
    await eventually(async () => (await ttlOf(name)) > 0, { withinMs: 100 });
    expect((await held.ended).code).toBe(4);
    expect(await redis.exists(name)).toBe(0);
  });

  test('SIGUSR1 goes to the command alone', async () => {
    const held = await holder(
      fresh(),
      [],
      "trap 'echo usr1; exit 0' USR1; ready; sleep 100 < /dev/null > /dev/null 2>&1 & wait",
    );
    held.child.kill('SIGUSR1');
    expect(await held.ended).toMatchObject({ code: 0, stdout: 'usr1\n' });
    process.kill(-held.command, 'SIGKILL'); // the sleep is left in the group
  });
});

describe('a lease that is lost', () => {
  test('ends the command with SIGTERM, and us with 76', async () => {
    const name = fresh();
    const held = await holder(name, ['--ttl', '600ms']);
    await redis.del(name);
    const { code, stderr } = await held.ended;
    expect(code).toBe(76);
    expect(stderr).toMatch(/the lease is lost: .*; ending the command\n$/);
    expect(isAlive(held.command)).toBe(false);
  });

  test('ends a whole group that ignores SIGTERM, after --kill-after', async () => {
    const name = fresh();
    const file = freshFile();
    const stubborn = `trap '' TERM; ready; sh -c 'trap "" TERM; echo $$ > ${file}; ${ON}' & ${ON}`;
    const held = await holder(name, ['--ttl', '600ms', '--kill-after', '500ms'], stubborn);
    const grandchild = Number(await lineIn(file));
    await redis.set(name, 'somebody-else');
    expect((await held.ended).code).toBe(76);
    for (const pid of [held.command, grandchild]) expect(isAlive(pid)).toBe(false);
    expect(await redis.get(name)).toBe('somebody-else');
  });

  test('is noticed by our own clock when the server does not answer any more', async () => {
    const own = await startServer();
    try {
      const file = freshFile();
      const held = start(own.url, [
        'run',
        'x',
        '--ttl',
        '1s',
        '--shell',
        '--',
        `echo $$ > ${file}; exec sleep 100`,
      ]);
      await lineIn(file);
      own.stop();
      const stoppedAt = performance.now();
      const { code } = await held.ended;
      expect(code).toBe(76);
      // The validity is over after a ttl; closing goes on for the library's own deadline at most.
      expect(performance.now() - stoppedAt).toBeLessThan(1_000 + 3_000 + 4_000);
    } finally {
      own.cont();
      await own.shutdown();
    }
  });

  test('is told with 76 also when the command ended by itself after it', async () => {
    const name = fresh();
    const held = await holder(name, ['--ttl', '20s'], 'ready; read line; exit 0');
    await held.ended.then(
      ({ code }) => expect(code).toBe(0), // its input is at its end: it ends at once
    );
    const late = fresh();
    const file = freshFile();
    const slow = await holder(
      late,
      ['--ttl', '20s'],
      `ready; while [ ! -e ${file} ]; do sleep 0.05; done; exit 0`,
    );
    await redis.del(late);
    writeFileSync(file, '');
    const { code, stderr } = await slow.ended;
    expect(code).toBe(76);
    expect(stderr).toMatch(/the lease is lost/);
  });
});

describe('kill -9 of holdfast itself', () => {
  test('the guard ends the command at once; the lock is free when its ttl has run out', async () => {
    const name = fresh();
    const held = await holder(name, ['--ttl', '2s']);
    held.child.kill('SIGKILL');
    await once(held.child, 'exit');
    const leftMs = await ttlOf(name);
    expect(leftMs).toBeGreaterThan(0);
    await eventually(() => !isAlive(held.command), { withinMs: 5_000 });
    const { code } = await run(server.url, ['run', name, '--wait', '15s', '--', 'true']);
    expect(code).toBe(0);
  });

  test('the guard ends a group that ignores SIGTERM too', async () => {
    const held = await holder(fresh(), ['--kill-after', '1s'], `trap '' TERM; ready; ${ON}`);
    held.child.kill('SIGKILL');
    await eventually(() => !isAlive(held.command), { withinMs: 15_000 });
  });

  test('with --no-guard the command runs on', async () => {
    const file = freshFile();
    const held = await holder(
      fresh(),
      ['--no-guard'],
      `ready; while [ ! -e ${file} ]; do sleep 0.05; done; echo on > ${file}2`,
    );
    held.child.kill('SIGKILL');
    await once(held.child, 'exit');
    writeFileSync(file, '');
    expect(await lineIn(`${file}2`)).toBe('on');
  });

  test('nothing of the guard is left after a run', async () => {
    const held = await holder(fresh(), ['--kill-after', '4321s'], 'ready; read line');
    await held.ended;
    const running = () => execFileSync('ps', ['-eo', 'stat,args'], { encoding: 'utf8' });
    await eventually(() => !running().includes('holdfast-guard 4321'));
  });
});

describe('a semaphore', () => {
  test('lets in as many as there are permits', async () => {
    const name = fresh();
    const first = await holder(name, ['--limit', '3', '--permits', '2']);
    await holder(name, ['--limit', '3']);
    const { code, stderr } = await run(server.url, ['run', name, '--limit', '3', '--no-wait', '--', 'true']);
    expect(code).toBe(75);
    expect(stderr).toContain('3 of 3 permits are held');
    first.child.kill('SIGTERM');
    await first.ended;
    expect(
      (await run(server.url, ['run', name, '--limit', '3', '--permits', '2', '--no-wait', '--', 'true']))
        .code,
    ).toBe(0);
  });
});

describe('a quorum', () => {
  test('runs with a minority down, and says which servers when there is no majority', async () => {
    const nodes = await Promise.all([startServer(), startServer(), startServer()]);
    const urls = nodes.map(({ url }) => url).join(',');
    try {
      const args = ['run', 'q', '--quorum', urls, '--', 'sh', '-c', 'echo $HOLDFAST_FENCING_TOKEN'];
      const held = await holder('q2', ['--quorum', urls, '--ttl', '2s']);
      const { stdout: listed } = await run(server.url, ['ls', '--quorum', urls]);
      expect(listed).toMatch(/^q2 +lock +1\/1 +\S+\/\d+ \(run sh\)/m);
      expect(await run(server.url, ['release', 'q2', '--quorum', urls, '--force'])).toMatchObject({
        code: 0,
      });
      expect((await held.ended).code).toBe(76);
      expect((await run(server.url, ['show', 'q2', '--quorum', urls])).stdout).toMatch(
        /free[\s\S]*RELEASED BY FORCE/,
      );
      await nodes[2]?.kill9();
      const { code, stdout } = await run(server.url, args);
      expect(code).toBe(0);
      expect(Number(stdout)).toBeGreaterThan(1.7e15);
      await nodes[1]?.kill9();
      const refused = await run(server.url, args);
      expect(refused).toMatchObject({ code: 69, stdout: '' });
      expect(refused.stderr).toMatch(/2 of 3 servers are needed: .*nobody listens there/);
    } finally {
      await Promise.all(nodes.map((node) => node.shutdown()));
    }
  }, 60_000);
});
