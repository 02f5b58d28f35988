import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const VITEST = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
const FIXTURES = fileURLToPath(new URL('./fixtures/', import.meta.url));
const REPORTER = fileURLToPath(new URL('../src/vitest-reporter.ts', import.meta.url));

function lastLines(fixture: string): string[] {
  const args = ['run', '--root', FIXTURES, '--config', 'vitest.fixture.config.mjs', fixture];
  const reporters = ['--reporter', 'default', '--reporter', REPORTER];
  const { stdout } = spawnSync(process.execPath, [VITEST, ...args, ...reporters], { encoding: 'utf8' });
  const lines = stdout.trimEnd().split('\n');
  return [...lines.filter((line) => line.startsWith('FAILED: ')), ...lines.slice(-1)];
}

test.each([
  ['pass', ['1 passed, 0 failed, 2 skipped']],
  [
    'fail',
    [
      'FAILED: fail.fixture.mjs > fails: expected 1 to be 2 // Object.is equality',
      'FAILED: fail.fixture.mjs, outside a test: hook',
      '0 passed, 2 failed, 1 skipped',
    ],
  ],
  ['unhandled', ['FAILED: outside a test: nobody looks', '1 passed, 1 failed, 0 skipped']],
  [
    'broken',
    [
      'FAILED: broken.fixture.mjs, outside a test: this file cannot be loaded',
      '0 passed, 1 failed, 0 skipped',
    ],
  ],
  ['no such file', ['0 passed, 1 failed, 0 skipped']],
])('the last lines of a run: %s', (fixture, lines) => expect(lastLines(fixture)).toEqual(lines), 20_000);
