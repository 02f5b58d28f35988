import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const VITEST = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
const FIXTURES = fileURLToPath(new URL('./fixtures/', import.meta.url));
const REPORTER = fileURLToPath(new URL('../src/vitest-reporter.ts', import.meta.url));

function lastLine(fixture: string): string | undefined {
  const args = ['run', '--root', FIXTURES, '--config', 'vitest.fixture.config.mjs', fixture];
  const reporters = ['--reporter', 'default', '--reporter', REPORTER];
  const { stdout } = spawnSync(process.execPath, [VITEST, ...args, ...reporters], { encoding: 'utf8' });
  return stdout.trimEnd().split('\n').at(-1);
}

test.each([
  ['pass', '1 passed, 0 failed, 2 skipped'],
  ['fail', '0 passed, 2 failed, 1 skipped'],
  ['unhandled', '1 passed, 1 failed, 0 skipped'],
  ['broken', '0 passed, 1 failed, 0 skipped'],
  ['no such file', '0 passed, 1 failed, 0 skipped'],
])('the last line of a run: %s', (fixture, line) => expect(lastLine(fixture)).toBe(line), 20_000);
