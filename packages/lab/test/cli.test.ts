import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';

const PROGRAM = fileURLToPath(new URL('../bin/holdfast-lab.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'holdfast-lab-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function start(
  args: readonly string[],
  env: Record<string, string> = {},
): { child: ChildProcess; ended: Promise<Ended> } {
  const { FORCE_COLOR, HOLDFAST_TEST_SERVERS, ...own } = process.env;
  const child = spawn(process.execPath, [PROGRAM, ...args], { env: { ...own, ...env } });
  const text = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      text[name] += chunk;
    });
  return { child, ended: once(child, 'close').then(([code]) => ({ code, ...text })) };
}

const run = (args: readonly string[], env?: Record<string, string>) => start(args, env).ended;

describe('help', () => {
  test.each([
    ['the program', [], ['list', 'run', 'market', 'exports none']],
    ['list', ['list'], ['what each is about']],
    ['run', ['run'], ['--seed', '--max-orders', '--json', '--html', 'REDIS_URL is never used', 'NO_COLOR']],
    ['market', ['market'], ['--seconds', '--json', '--html', 'default: 5']],
  ])('of %s', async (_, args, words) => {
    const { code, stdout, stderr } = await run([...args, '--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const word of words) expect(stdout.replace(/\s+/g, ' ')).toContain(word);
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });
});

describe('wrong usage ends with 2 and a sentence', () => {
  test.each([
    [
      'an unknown step',
      ['run', 'no-such-step'],
      /There is no step “no-such-step”\. There are: 0 \(check-then-act\).*; or all\./,
    ],
    ['no step', ['run'], /^Which step\? There are: 0 \(check-then-act\).*; or all\./],
    ['an unknown command', ['walk'], /unknown command 'walk'/],
    ['an unknown option', ['list', '--walk'], /unknown option '--walk'/],
    ['a seed that is no number', ['run', '0', '--seed', 'x'], /whole number/],
    ['no orders at all', ['run', '0', '--max-orders', '0'], /whole number from 1/],
    ['no seconds', ['market', '--seconds', '0'], /number of seconds/],
    ['too many seconds', ['market', '--seconds', '601'], /at most 600/],
    [
      'a page that cannot be written',
      ['run', '0', '--html', '/nowhere/lab.html'],
      /--html: \/nowhere\/lab\.html cannot be written/,
    ],
  ])('%s', async (_, args, sentence) => {
    const { code, stdout, stderr } = await run(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(sentence);
  });
});

test('list shows each step with what it is about and its scenarios', async () => {
  const { code, stdout } = await run(['list']);
  expect(code).toBe(0);
  for (const word of [
    'check-then-act',
    'Two buyers read the stock',
    'two buyers, one ticket',
    'must find a bug',
  ])
    expect(stdout).toContain(word);
  expect(stdout).not.toContain('\x1b');
});

test('run shows the counts and the shortest bad order, actor by actor, without escapes off a terminal', async () => {
  const { code, stdout, stderr } = await run(['run', '0']);
  expect(code).toBe(0);
  expect(stdout).toContain('6 orders, 4 bad: a bug, as expected');
  expect(stdout).toContain('The shortest bad order: 2 tickets were sold, there was 1.');
  expect(stdout).toMatch(/^ +A +B +server: keys that changed$/m);
  expect(stdout).toMatch(/^ +3 {8,}SET stock 0 +stock = 0$/m);
  expect(stdout).toMatch(/here it goes wrong/);
  expect(stderr).toBe('1/1 step 0, two buyers, one ticket\n');
  expect(stdout + stderr).not.toContain('\x1b');
});

test('a narrow page is asked for by COLUMNS', async () => {
  const { stdout } = await run(['run', '0'], { COLUMNS: '60' });
  for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(60);
  expect(stdout).toContain('wrong');
});

test('run finds steps by their names, and never uses REDIS_URL', async () => {
  const { code, stdout } = await run(['run', 'Check-Then-Act'], { REDIS_URL: 'redis://127.0.0.1:1' });
  expect(code).toBe(0);
  expect(stdout).toContain('6 orders, 4 bad');
});

test('run --json prints one document, and --html writes the page', async () => {
  const html = join(folder, 'lab.html');
  const { code, stdout, stderr } = await run([
    'run',
    '0',
    '--json',
    '--html',
    html,
    '--seed',
    '7',
    '--max-orders',
    '3',
  ]);
  expect(code).toBe(0);
  const document = JSON.parse(stdout);
  expect(document).toMatchObject({ seed: 7, maxOrders: 3, steps: [{ id: '0', name: 'check-then-act' }] });
  expect(document.steps[0].scenarios[0]).toMatchObject({
    expects: 'bug',
    asExpected: true,
    complete: false,
  });
  expect(document.steps[0].scenarios[0].orders).toBeLessThanOrEqual(6);
  expect(document.steps[0].scenarios[0].shown.lines[0]).toMatchObject({
    who: 'A',
    what: 'GET stock',
    reply: '1',
  });
  expect(readFileSync(html, 'utf8')).toContain(
    '<title>The shortest bad order of “two buyers, one ticket”</title>',
  );
  expect(stderr).toContain(`The page is in ${html}`);
});

test('a bug that is not found ends with 1 and a sentence', async () => {
  // The first order is a good one, and so is the one that this seed draws.
  const { code, stdout, stderr } = await run(['run', '0', '--max-orders', '1', '--seed', '5']);
  expect(stdout).toContain('NOT as expected');
  expect(stderr).toContain(
    'Not as expected: step 0, “two buyers, one ticket”: no bad order was found, and there must be one.',
  );
  expect(code).toBe(1);
});

test('without a server there is one sentence, and 1', async () => {
  const { code, stdout, stderr } = await run(['run', '0'], { HOLDFAST_TEST_SERVERS: 'none' });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(
    /^The lab needs a server of its own, and none can be had: .+\. Put a .* on the PATH\.\n$/,
  );
});

test('Ctrl-C ends it with 130, its server too, and says nothing more', async () => {
  const { child, ended } = start(['run', 'all']);
  await once(child.stderr as NodeJS.ReadableStream, 'data');
  const servers = serversOf(child.pid as number);
  child.kill('SIGINT');
  const { code, stderr } = await ended;
  expect(code).toBe(130);
  expect(stderr.trim().split('\n')).toHaveLength(1);
  expect(servers).toHaveLength(1);
  for (const pid of servers) expect(existsSync(`/proc/${pid}`)).toBe(false);
});

function serversOf(pid: number): string[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
}
