/** What a user gets: the packed package, installed in another folder, without any other. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RedisProcess, startServer } from '../../testkit/src/index.ts';
import { folder } from './support/cli.ts';

const PACKAGE = fileURLToPath(new URL('../', import.meta.url));
const { version } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as { version: string };
const place = folder();
const installed = join(place, 'node_modules/@holdfast/cli');
let server: RedisProcess;

const execute = (command: string, ...args: string[]) =>
  execFileSync(command, args, {
    cwd: place,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, REDIS_URL: server.url, npm_config_cache: join(place, 'cache') },
  });

beforeAll(async () => {
  server = await startServer();
  const told = execFileSync('npm', ['pack', '--json', '--pack-destination', place], {
    cwd: PACKAGE,
    encoding: 'utf8',
  });
  const [{ filename }] = JSON.parse(told) as [{ filename: string }];
  writeFileSync(join(place, 'package.json'), '{ "private": true }');
  // Nothing else is needed, so nothing has to be fetched.
  execute('npm', 'install', '--offline', '--no-audit', '--no-fund', join(place, filename));
}, 60_000);
afterAll(() => server?.shutdown());

test('has all that it needs, the licences of what is in it, and nothing else', () => {
  expect(readdirSync(installed).sort()).toEqual([
    'LICENSE',
    'README.md',
    'bin',
    'bundle',
    'man',
    'package.json',
  ]);
  const licences = readFileSync(join(installed, 'bundle/LICENSES.txt'), 'utf8');
  for (const name of ['ioredis', 'commander', 'cli-table3'])
    expect(licences).toMatch(new RegExp(`^${name} \\d`, 'm'));
  expect(readdirSync(join(place, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
    '@holdfast',
  ]);
  expect(existsSync(join(installed, 'node_modules'))).toBe(false);
});

test('works, by npx and as a program', () => {
  const npx = (...args: string[]) => execute('npx', '--no-install', 'holdfast', ...args);
  expect(npx('--version')).toBe(`${version}\n`);
  expect(npx('run', 'x', '--', 'echo', 'mine')).toBe('mine\n');
  const program = join(place, 'node_modules/.bin/holdfast');
  for (const verb of ['ls', 'audit', 'doctor'])
    expect(() => JSON.parse(execute(program, verb, '--json'))).not.toThrow();
});

test('says what is missing where it hands over', () => {
  const program = join(place, 'node_modules/.bin/holdfast');
  expect(() => execute(program, 'lab')).toThrow(/@holdfast\/lab is not installed/);
});
