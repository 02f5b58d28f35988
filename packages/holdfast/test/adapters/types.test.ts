import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

test('real clients are accepted without a cast', { timeout: 60_000 }, async () => {
  const tsc = path('../../../../node_modules/typescript/bin/tsc');
  const run = promisify(execFile)(process.execPath, [tsc, '-p', path('./tsconfig.json')]);
  expect(await run.catch((error) => error)).toMatchObject({ stdout: '' });
});
