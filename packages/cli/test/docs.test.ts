/** Every example for the shell in docs/cli.md is run, against a real server, with the built program. */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RedisProcess, startServer } from '../../testkit/src/index.ts';
import { folder, PROGRAM } from './support/cli.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const execute = promisify(execFile);
const pages = ['docs/cli.md', 'README.md'];

const examples = pages.flatMap((page) => {
  const blocks = readFileSync(join(ROOT, page), 'utf8').matchAll(/^```sh\n(.*?)^```$/gms);
  return [...blocks]
    .map(([, code = '']) => code)
    .filter((code) => /^(?:source <\()?holdfast /m.test(code))
    .map((code, i) => ({ title: `${page}, example ${i + 1}`, code }));
});

let server: RedisProcess;
const bin = folder();
beforeAll(async () => {
  server = await startServer();
  writeFileSync(join(bin, 'holdfast'), `#!/bin/sh\nexec "${process.execPath}" "${PROGRAM}" "$@"\n`, {
    mode: 0o755,
  });
});
afterAll(() => server?.shutdown());

test('there are some', () => expect(examples.length).toBeGreaterThan(6));

test.each(examples)(
  '$title runs without a failure',
  async ({ code }) => {
    const env = { ...process.env, REDIS_URL: server.url, PATH: `${bin}${delimiter}${process.env.PATH}` };
    const ended = await execute('bash', ['-euo', 'pipefail', '-c', code], { cwd: bin, env });
    expect(ended.stdout).not.toContain('undefined');
  },
  60_000,
);
