/** Help, wrong usage, the man page, completion. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Holdfast } from 'holdfast';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RedisProcess, startServer } from '../../testkit/src/index.ts';
import { verbsOf } from '../src/completion/completion.ts';
import { programOf } from '../src/program.ts';
import { duration } from '../src/say/duration.ts';
import { EXIT } from '../src/say/exit.ts';
import { PROGRAM, run } from './support/cli.ts';

const verbs = verbsOf(programOf(async () => {}));
const NOWHERE = 'redis://127.0.0.1:1';
const page = readFileSync(fileURLToPath(new URL('../man/holdfast.1', import.meta.url)), 'utf8');
const docs = readFileSync(fileURLToPath(new URL('../../../docs/cli.md', import.meta.url)), 'utf8');

let server: RedisProcess;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server?.shutdown());

describe('help', () => {
  test.each(verbs.filter(({ name }) => name !== 'bench' && name !== 'lab'))(
    'of $name',
    async ({ name, options }) => {
      const { code, stdout, stderr } = await run(NOWHERE, [name, '--help']);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      for (const { flag } of options) expect(stdout).toContain(flag);
    },
  );

  test('of the program names every verb', async () => {
    const { stdout } = await run(NOWHERE, ['--help']);
    for (const { name } of verbs) expect(stdout).toContain(`\n  ${name} `);
  });

  test('loads neither the client nor the library', () => {
    const { stderr, status } = spawnSync(process.execPath, ['--trace-warnings', PROGRAM, 'run', '--help'], {
      env: { ...process.env, NODE_DEBUG: 'esm,module' },
      encoding: 'utf8',
    });
    expect(status).toBe(0);
    expect(stderr).not.toMatch(/ioredis|session-/);
  });
});

describe('wrong usage ends with 64', () => {
  test.each([
    ['an unknown verb', ['walk'], /unknown command 'walk'/],
    ['an unknown option', ['ls', '--walk'], /unknown option '--walk'/],
    ['no command', ['run', 'x'], /which command\?/],
    ['no name', ['run', '--', 'true'], /before -- stands one name/],
    ['two names', ['run', 'x', 'y', '--', 'true'], /before -- stands one name/],
    ['an option of the command without --', ['run', 'x', 'ls', '--color'], /'--color' .*stand behind --/],
    ['a duration that is none', ['run', 'x', '--ttl', 'soon', '--', 'true'], /500ms, 30s, 1m30s/],
    ['a ttl of three days', ['run', 'x', '--ttl', '3d', '--', 'true'], /ttlMs/],
    ['permits without a limit', ['run', 'x', '--permits', '2', '--', 'true'], /--limit/],
    ['more permits than there are', ['run', 'x', '--limit', '2', '--permits', '3', '--', 'true'], /permits/],
    ['two addresses', ['ls', '--url', NOWHERE, '--quorum', `${NOWHERE},${NOWHERE}`], /one of them/],
    ['a quorum of one', ['ls', '--quorum', NOWHERE], /several addresses/],
    ['top without a terminal', ['top'], /needs a terminal/],
    ['a shell that there is not', ['completion', 'csh'], /bash, zsh, fish/],
  ])('%s', async (_, args, sentence) => {
    const { code, stderr } = await run(server.url, args);
    expect(stderr).toMatch(sentence);
    expect(code).toBe(64);
    expect(stderr).toMatch(/^holdfast: .*\n$/);
    if (args[0] === 'top') return; // with --json it needs none
    const told = await run(server.url, [args[0] ?? '', '--json', ...args.slice(1)]);
    expect(told.code).toBe(64);
    expect(JSON.parse(told.stderr)).toMatchObject({ error: { exitCode: 64 } });
    expect(stderr).not.toMatch(/\n\s+at /);
  });
});

test.each([
  ['30s', 30_000],
  ['1m30s', 90_000],
  ['500ms', 500],
  ['2', 2_000],
  ['0.5', 500],
  ['1h', 3_600_000],
])('%s is %d ms', (text, ms) => expect(duration(text)).toBe(ms));
test.each(['', 's', '1 m', '-1s', '1m30', '1x'])('%j is no duration', (text) =>
  expect(() => duration(text)).toThrow(),
);

describe('the man page', () => {
  const plain = page.replaceAll('\\-', '-').replaceAll('\\(aq', "'");

  test('has every verb and every option', () => {
    for (const { name, options } of verbs) {
      expect(plain).toContain(`holdfast ${name}`);
      for (const { flag } of options) expect(plain, `${name} ${flag}`).toContain(flag);
    }
  });

  test('and docs/cli.md have every exit code', () => {
    for (const code of Object.values(EXIT)) {
      expect(plain).toMatch(new RegExp(`^\\.B ${code}\\b`, 'm'));
      expect(docs).toMatch(new RegExp(`^\\| ${code}\\b`, 'm'));
    }
  });

  test('is understood by man without a complaint', () => {
    const { status, stderr, error } = spawnSync(
      'man',
      ['--warnings', '-l', '-Tutf8', fileURLToPath(new URL('../man/holdfast.1', import.meta.url))],
      { encoding: 'utf8', env: { ...process.env, MANWIDTH: '100' } },
    );
    if (error) return console.warn(`\nNOT RUN: man: ${error.message}\n`);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});

describe('completion', () => {
  const script = (shell: string) =>
    execFileSync(process.execPath, [PROGRAM, 'completion', shell], { encoding: 'utf8' });

  test.each(['bash', 'zsh', 'fish'])('for %s knows every verb and option', (shell) => {
    const text = script(shell);
    for (const { name, options } of verbs) {
      expect(text).toContain(name);
      for (const { flag } of options) expect(text).toContain(shell === 'fish' ? `-l ${flag.slice(2)}` : flag);
    }
    if (shell === 'bash') execFileSync('bash', ['-n'], { input: text });
  });

  test('in bash completes verbs, options, names of locks, and commands behind --', async () => {
    const redis = new Redis(server.url);
    const holdfast = new Holdfast(redis);
    await holdfast.lock('orders').acquire();
    await holdfast.lock('invoices').acquire();
    const complete = (...words: string[]) => {
      const ask = `holdfast() { "${process.execPath}" "${PROGRAM}" "$@"; }; timeout() { shift; "$@"; }
${script('bash')}
COMP_WORDS=(holdfast ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _holdfast; printf '%s\\n' "\${COMPREPLY[@]}"`;
      const env = { ...process.env, REDIS_URL: server.url };
      return execFileSync('bash', ['-c', ask], { encoding: 'utf8', env }).trim().split('\n').sort();
    };
    expect(complete('re')).toEqual(['release']);
    expect(complete('run', '--no')).toEqual(['--no-guard', '--no-wait']);
    expect(complete('show', '')).toEqual(['invoices', 'orders']);
    expect(complete('release', 'or')).toEqual(['orders']);
    expect(complete('run', 'orders', '--', 'printen')).toContain('printenv');
    await holdfast.close();
    redis.disconnect();
  });
});

test('bench and lab hand over to their packages', async () => {
  const lab = await run(server.url, ['lab', 'list']);
  expect(lab.code).toBe(0);
  expect(lab.stdout).toContain('check-then-act');
  expect((await run(server.url, ['bench', '--help'])).code).toBe(0);
});
