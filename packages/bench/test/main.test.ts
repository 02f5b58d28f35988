/** The program as it was built, end to end: that it runs, not how fast. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import type { Result } from '../src/run.ts';

const run = promisify(execFile);
const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const PARTS = [
  'uncontended',
  'hot-lock',
  'hand-off',
  'growth',
  'recovery',
  'semaphore',
  'quorum',
  'market',
  'weight',
];

const bench = (...args: string[]) => run(process.execPath, [MAIN, ...args], { maxBuffer: 1e8 });

test('a quick run measures Holdfast in every part, and every library somewhere', {
  timeout: 180_000,
}, async () => {
  const { stdout, stderr } = await bench('--quick', '--json');
  const result = JSON.parse(stdout) as Result;
  expect(result.parts.map(({ id, failed }) => [id, failed])).toEqual(PARTS.map((id) => [id, undefined]));
  const tables = result.parts.flatMap((part) => part.tables);
  for (const { id, rows } of tables) {
    const ours = rows.filter(({ role }) => role === 'holdfast');
    expect(ours.length, id).toBeGreaterThan(0);
    for (const { figures, word } of ours) {
      expect(Object.values(figures), `${id}: ${word}`).toContainEqual(expect.any(Number));
      expect(word ?? '', id).not.toMatch(/OVERLAPS|did not run|not within/);
    }
  }
  const measured = new Set(
    tables.flatMap(({ rows }) =>
      rows.filter(({ figures }) => Object.values(figures).some((one) => one !== null)).map(({ id }) => id),
    ),
  );
  for (const id of [
    'floor',
    'redlock4',
    'redlock5',
    'sesamecare',
    'redis-semaphore',
    'redlock-universal',
    'node-redisson',
    'simple-redis-mutex',
  ])
    expect(measured).toContain(id);
  expect(stderr).toContain('uncontended: ioredis 5 …');
});

test('--list names every part, --only runs those it names, and a wrong one is said so', async () => {
  const { stdout } = await bench('--list');
  expect(
    stdout
      .trim()
      .split('\n')
      .map((line) => line.split(' ')[0]),
  ).toEqual(PARTS);
  const one = JSON.parse((await bench('--quick', '--json', '--only', 'hand-off')).stdout) as Result;
  expect(one.parts.map(({ id }) => id)).toEqual(['hand-off']);
  await expect(bench('--only', 'lunch')).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('expected one of uncontended'),
  });
});

test('a quick run is not kept', async () => {
  await expect(bench('--save', '--quick')).rejects.toMatchObject({ code: 2 });
});
