import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { oneAtATime } from '../src/file-lock.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('work under one lock does not overlap', async () => {
  let inside = 0;
  let most = 0;
  const work = async () => {
    most = Math.max(most, ++inside);
    await sleep(5);
    inside--;
  };
  const file = join(folder, 'busy.lock');
  await Promise.all(Array.from({ length: 4 }, () => oneAtATime(file, 10_000, work)));
  expect(most).toBe(1);
  expect(existsSync(file)).toBe(false);
});

test('the lock of a process that died is taken over', async () => {
  const file = join(folder, 'dead.lock');
  writeFileSync(file, String(spawnSync('true').pid));
  expect(await oneAtATime(file, 60_000, async () => 'done')).toBe('done');
});

test('patience ends', async () => {
  const file = join(folder, 'patience.lock');
  writeFileSync(file, String(process.ppid));
  expect(await oneAtATime(file, 100, async () => 'done')).toBe('done');
});
