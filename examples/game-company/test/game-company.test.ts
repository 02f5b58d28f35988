import { eventually, findServer, startServer } from '@holdfast/testkit';
import { beforeAll, describe, expect, test } from 'vitest';
import { isAlive, starter } from '../../common/test/started.ts';

const ESCAPE = '\x1b';
const start = starter(new URL('../dist/main.js', import.meta.url));
const run = (args: string[] = [], env: Record<string, string> = {}) => start(args, env).ended;

/** A private copy is unpacked before the clock of any test runs. */
beforeAll(() => findServer(), 200_000);

describe('the game company', { timeout: 60_000 }, () => {
  test('tells in plain lines what goes wrong without a semaphore, and what one does about it', async () => {
    const { code, stdout, stderr, tookMs } = await run();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(Number(/one with (\d+) calls at once/.exec(stdout)?.[1])).toBeGreaterThan(5);
    expect(stdout).toMatch(/[\d,]+ refused with 429 "account blocked"/);
    expect(stdout).toMatch(/: 0 refused, at most [1-5] at once/);
    expect(stdout).toMatch(/"Busy, try later" [\d,]+ times, told after [\d,.]+ ms \(median\)/);
    expect(stdout).toMatch(/inspect\(\) shows \d+ seats? of \d+ accounts? in its hands/);
    expect(stdout).toMatch(/free again after [\d,]+ ms( to [\d,]+ ms)? \(ttl 2,000 ms\), not before/);
    expect(stdout).toContain('got all 5 permits at once: 20 of 20');
    expect(stdout).not.toContain(ESCAPE);
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(tookMs).toBeLessThan(30_000);
  });

  test('--json prints one document with what was measured; a server of REDIS_URL is left as it was', async () => {
    await using server = await startServer({ password: 'se/cr et' });
    await server.command('SET', 'mine', 'untouched');
    const { code, stdout, stderr } = await run(['--json'], { REDIS_URL: server.url });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const { withoutSemaphore, withSemaphore, killed, ending, ...rest } = JSON.parse(stdout);
    expect(rest).toMatchObject({ processes: 4, tasks: 200, accounts: 20, limit: 5 });
    expect(withoutSemaphore.highest).toBeGreaterThan(5);
    expect(withoutSemaphore.refused).toBeGreaterThan(0);
    for (const scene of [withSemaphore, killed]) {
      expect(scene).toMatchObject({ accountsOverLimit: 0, refused: 0 });
      expect(Math.max(...scene.mostAtOnce)).toBe(scene.highest);
      expect(scene.highest).toBeLessThanOrEqual(5);
      expect(scene.busy).toBeGreaterThan(0);
      expect(scene.busyMedianMs).toBeLessThanOrEqual(scene.busyP99Ms);
    }
    expect(killed.dead.length).toBeGreaterThan(0);
    expect(killed.callsMeanwhile).toBeGreaterThan(0);
    for (const { endsMs, lastSeenMs, backAfterMs } of killed.dead) {
      expect(endsMs.latest).toBeGreaterThan(0);
      expect(backAfterMs).toBeGreaterThan(endsMs.earliest - 10);
      expect(lastSeenMs).toBeLessThan(endsMs.latest + 10);
    }
    expect(ending).toEqual({ accounts: 20, held: 0, acquirable: 20 });
    expect(await server.command('KEYS', '*')).toEqual(['mine']);
  });
});

describe('what can go wrong at the start', { timeout: 20_000 }, () => {
  test('without any server it says so in one sentence', async () => {
    const { code, stdout, stderr } = await run([], { HOLDFAST_TEST_SERVERS: 'none' });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^This needs a Redis or Valkey server, and none can be had [^\n]+\.\n$/);
  });

  test('a REDIS_URL where nobody listens is one sentence, without the password', async () => {
    const { code, stdout, stderr } = await run([], { REDIS_URL: 'redis://me:hush%21@127.0.0.1:1/2' });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^REDIS_URL: [^\n]+redis:\/\/127\.0\.0\.1:1\/2[^\n]+\.\n$/);
    expect(stderr).not.toMatch(/hush/);
  });

  test('--help explains it; an unknown option is refused with the same text', async () => {
    const [help, wrong] = await Promise.all([run(['--help']), run(['--fast'])]);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(help.stdout).toMatch(/^Usage: npm run game-company/);
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    expect(wrong.stderr).toContain("Unknown option '--fast'");
  });
});

describe('Ctrl-C', { timeout: 40_000 }, () => {
  test.each(['With a semaphore', 'SIGKILL to process'])(
    'at "%s" ends with 130 and leaves no worker and no server behind',
    async (moment) => {
      const program = start([], {});
      await eventually(() => program.stdout.includes(moment), { withinMs: 30_000, what: moment });
      const below = program.descendants();
      expect(below.some(({ command }) => command.includes('worker.js'))).toBe(true);
      expect(below.some(({ command }) => /(redis|valkey)-server/.test(command))).toBe(true);
      program.child.kill('SIGINT');
      expect((await program.ended).code).toBe(130);
      expect(below.filter(isAlive)).toEqual([]);
    },
  );

  test('leaves no keys behind on a server of REDIS_URL', async () => {
    await using server = await startServer();
    const program = start([], { REDIS_URL: server.url });
    await eventually(() => program.stdout.includes('With a semaphore'), { withinMs: 30_000 });
    await eventually(async () => ((await server.command('KEYS', '*')) as string[]).length > 0);
    program.child.kill('SIGINT');
    expect((await program.ended).code).toBe(130);
    expect(await server.command('KEYS', '*')).toEqual([]);
  });
});
