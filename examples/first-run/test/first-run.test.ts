import { eventually, findServer, startServer } from '@holdfast/testkit';
import { beforeAll, describe, expect, test } from 'vitest';
import { isAlive, starter } from '../../common/test/started.ts';

const ESCAPE = '\x1b';
const start = starter(new URL('../dist/main.js', import.meta.url));
const run = (args: string[] = [], env: Record<string, string> = {}) => start(args, env).ended;

/** A private copy is unpacked before the clock of any test runs. */
beforeAll(() => findServer(), 200_000);

describe('the first run', { timeout: 40_000 }, () => {
  test('shows what goes wrong without a lock, and what a lock does about it, in plain lines', async () => {
    const { code, stdout, stderr, tookMs } = await run();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(Number(/without a lock.*sold \d+: oversold (\d+)/.exec(stdout)?.[1])).toBeGreaterThan(0);
    expect(stdout).toMatch(/with a lock .*stock 200, sold 200: oversold 0/);
    expect(stdout).toMatch(/never two at once; 20\d hand-offs/);
    expect(stdout).toMatch(/had the lock [\d,]+ ms after the kill/);
    const [, token, highest] = /late write refused.*\n.*?(\d{10,}) < (\d{10,})/.exec(stdout) ?? [];
    expect(Number(token)).toBeLessThan(Number(highest));
    expect(stdout).not.toContain(ESCAPE);
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(tookMs).toBeLessThan(20_000);
  });

  test('--json prints one document with what was measured, and nothing else', async () => {
    const { code, stdout, stderr } = await run(['--json']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const result = JSON.parse(stdout);
    expect(result).toMatchObject({ workers: 'processes', skipped: null, stopped: { refused: true } });
    expect(result.withoutLock.sold - result.withoutLock.stock).toBe(result.withoutLock.oversold);
    expect(result.withLock).toMatchObject({ stock: 200, sold: 200, oversold: 0, overlaps: 0 });
    expect(result.withLock.medianMs).toBeLessThanOrEqual(result.withLock.p99Ms);
    expect(Number.isSafeInteger(result.stopped.token)).toBe(true);
    expect(result.stopped.token).toBeLessThan(result.stopped.highest);
    expect(result.killed.nextAfterMs).toBeGreaterThan(0);
    expect(result.killed.nextAfterMs).toBeLessThan(result.killed.ttlMs + 1_000);
  });

  test('a server of REDIS_URL is left as it was, and its password is not shown', async () => {
    await using server = await startServer({ password: 'se/cr et' });
    await server.command('SET', 'mine', 'untouched');
    const { code, stdout, stderr } = await run([], { REDIS_URL: server.url });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`, redis://127.0.0.1:${server.port}\n`);
    expect(stdout).toContain('only keys under holdfast-first-run-');
    expect(stdout).not.toMatch(/se(\/|%2F)cr/);
    expect(await server.command('KEYS', '*')).toEqual(['mine']);
    expect(await server.command('GET', 'mine')).toBe('untouched');
  });

  test('without any server it goes on in memory, and says what it leaves out', async () => {
    const { code, stdout } = await run([], { HOLDFAST_TEST_SERVERS: 'none' });
    expect(code).toBe(0);
    expect(stdout).toContain('To get one: apt install redis-server');
    expect(stdout).toContain('Killing and stopping a holder is skipped');
    expect(stdout).toMatch(/with a lock .*stock 200, sold 200: oversold 0/);
  });
});

describe('what can go wrong at the start', { timeout: 20_000 }, () => {
  const SENTENCE = /^REDIS_URL: [^\n]+\.\n$/;

  test('a REDIS_URL where nobody listens is one sentence, without the password', async () => {
    const { code, stdout, stderr } = await run([], { REDIS_URL: 'redis://me:hush%21@127.0.0.1:1/2' });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(SENTENCE);
    expect(stderr).toContain('redis://127.0.0.1:1/2');
    expect(stderr).not.toMatch(/hush/);
  });

  test('a REDIS_URL with the wrong password is one sentence, without the password', async () => {
    await using server = await startServer({ password: 'right' });
    const { code, stderr } = await run([], { REDIS_URL: server.url.replace('right', 'wrong-one') });
    expect(code).toBe(1);
    expect(stderr).toMatch(SENTENCE);
    expect(stderr).toContain('WRONGPASS');
    expect(stderr).not.toContain('wrong-one');
  });

  test('a REDIS_URL that is no address is one sentence, without the text', async () => {
    const { code, stderr } = await run([], { REDIS_URL: 'redis://me:hush hush@my host' });
    expect(code).toBe(1);
    expect(stderr).toMatch(SENTENCE);
    expect(stderr).not.toContain('hush');
  });

  test('--help explains it; an unknown option is refused with the same text', async () => {
    const [help, wrong] = await Promise.all([run(['--help']), run(['--fast'])]);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(help.stdout).toMatch(/^Usage: /);
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    expect(wrong.stderr).toContain("Unknown option '--fast'");
  });
});

describe('Ctrl-C', { timeout: 30_000 }, () => {
  test.each(['Without a lock', 'A holder is killed', 'SIGSTOP'])(
    'at "%s" ends with 130 and leaves no worker and no server behind',
    async (moment) => {
      const program = start();
      await eventually(() => program.stdout.includes(moment), { withinMs: 20_000, what: moment });
      const below = program.descendants();
      expect(below.some(({ command }) => command.includes('worker.js'))).toBe(true);
      expect(below.some(({ command }) => /(redis|valkey)-server/.test(command))).toBe(true);
      program.child.kill('SIGINT');
      const { code } = await program.ended;
      expect(code).toBe(130);
      expect(below.filter(isAlive)).toEqual([]);
    },
  );

  test('leaves no keys behind on a server of REDIS_URL', async () => {
    await using server = await startServer();
    const program = start([], { REDIS_URL: server.url });
    await eventually(() => program.stdout.includes('SIGSTOP'), { withinMs: 20_000, what: 'the stop' });
    program.child.kill('SIGINT');
    expect((await program.ended).code).toBe(130);
    expect(await server.command('KEYS', '*')).toEqual([]);
  });

  test('right at the start ends with 130 too', async () => {
    const program = start();
    await eventually(() => program.descendants().length > 0, { what: 'a first child' });
    const below = program.descendants();
    program.child.kill('SIGINT');
    expect((await program.ended).code).toBe(130);
    expect(below.filter(isAlive)).toEqual([]);
  });
});
