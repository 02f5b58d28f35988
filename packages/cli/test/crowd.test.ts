/** Many `holdfast run` at once. */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RedisProcess, startServer } from '../../testkit/src/index.ts';
import { folder, run } from './support/cli.ts';

const counter = join(folder(), 'counter');
let server: RedisProcess;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server?.shutdown());

const UNSAFE = `n=$(cat ${counter}); sleep 0.01; echo $((n + 1)) > ${counter}`;

async function counted(once: () => Promise<{ code: number | null; stderr: string }>): Promise<number> {
  writeFileSync(counter, '0\n');
  const all = await Promise.all(Array.from({ length: 50 }, once));
  for (const { code, stderr } of all) expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return Number(readFileSync(counter, 'utf8'));
}

test('50 at once of a script that is not safe by itself: nothing is lost under the lock, and much without', async () => {
  const words = ['run', 'count', '--wait', '150s', '--shell', '--', UNSAFE];
  expect(await counted(() => run(server.url, words))).toBe(50);
  const bare = promisify(execFile);
  const unlocked = () => bare('/bin/sh', ['-c', UNSAFE]).then(({ stderr }) => ({ code: 0, stderr }));
  expect(await counted(unlocked)).toBeLessThan(50);
}, 180_000);
