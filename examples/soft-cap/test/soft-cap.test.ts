import { eventually, findServer, startServer } from '@holdfast/testkit';
import { beforeAll, describe, expect, test } from 'vitest';
import { isAlive, longestLine, starter } from '../../common/test/started.ts';
import type { Change, Result } from '../src/result.ts';

const start = starter(new URL('../dist/main.js', import.meta.url));
/** Long for a query that waits for nothing, short for a busy machine. */
const BUSY_MS = 2_000;

/** A private copy is unpacked before the clock of any test runs. */
beforeAll(() => findServer(), 200_000);

describe('the soft-cap example', { timeout: 120_000 }, () => {
  test('--json prints one document: the database never sees more than the limits allow', async () => {
    const { code, stdout, stderr } = await start(['--json']).ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const result: Result = JSON.parse(stdout);
    expect(result).toMatchObject({ workers: 4, tasks: 6, interrupted: 0, lost: 0 });
    expect(result.changes.map(({ from, to }) => [from, to])).toEqual([
      [0, 4],
      [4, 10],
      [10, 3],
      [3, 6],
    ]);
    for (const change of result.changes) ofAny(change);
    ofTheLowered(result.changes[2] as Change);
    expect(result.warnings.map(({ limit, times }) => [limit, times])).toEqual([
      [4, 1],
      [4, 1],
      [4, 1],
      [8, 1],
    ]);
    expect(result.warning).toContain('the limit 8 was asked for, but 4 is stored and counts');
    expect(result.end).toEqual({ limit: 6, held: 0, waiting: 0 });
    ofTheTimeline(result);
  });

  function ofAny({ from, to, max, maxAfterReached, tooMany, servedAfterMs }: Change): void {
    expect(max).toBeLessThanOrEqual(Math.max(from, to));
    expect(maxAfterReached).toBeLessThanOrEqual(to);
    expect(maxAfterReached).toBeGreaterThan(0);
    expect(tooMany).toBe(0);
    if (to > from) expect(max).toBeGreaterThan(from);
    if (servedAfterMs !== null) expect(servedAfterMs).toBeLessThan(BUSY_MS);
  }

  function ofTheLowered({ to, holders, endedBefore, reachedAfterMs, admittedAfterMs }: Change): void {
    expect(holders).toBeGreaterThan(to);
    expect(endedBefore).toBeGreaterThan(holders - to);
    expect(admittedAfterMs).toBeGreaterThanOrEqual(reachedAfterMs ?? Number.POSITIVE_INFINITY);
  }

  function ofTheTimeline({ timeline }: Result): void {
    expect(new Set(timeline.map(({ limit }) => limit))).toEqual(new Set([4, 10, 3, 6]));
    for (const { limit = 0, held, free, waiting } of timeline) {
      expect(free).toBe(Math.max(0, limit - held));
      expect(held + waiting).toBeLessThanOrEqual(24);
    }
  }

  test('tells it in plain lines, on a server of REDIS_URL that is left as it was', async () => {
    await using server = await startServer({ password: 'se/cr et' });
    await server.command('SET', 'mine', 'untouched');
    const { code, stdout, stderr } = await start([], { REDIS_URL: server.url }).ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/6 more queries began within [\d.,]+ ms of the call of setLimit\(10\)/);
    expect(stdout).toMatch(/the first one admitted when \d+ of \d+ had ended/);
    expect(stdout).toContain('Redis: limit 6, 0 held, 0 waiting');
    expect(stdout).not.toContain('\x1b');
    expect(stdout).not.toMatch(/se(\/|%2F)cr/);
    expect(longestLine(stdout)).toBeLessThanOrEqual(80);
    expect(await server.command('KEYS', '*')).toEqual(['mine']);
  });

  test.each(['1  The limit is 4', '3  The operator lowers it'])(
    'Ctrl-C at "%s" ends with 130 and leaves no process behind',
    async (moment) => {
      const program = start();
      await eventually(() => program.stdout.includes(moment), { withinMs: 90_000, what: moment });
      const below = program.descendants();
      expect(below.filter(({ command }) => command.includes('worker.js'))).not.toEqual([]);
      program.child.kill('SIGINT');
      expect((await program.ended).code).toBe(130);
      expect(below.filter(isAlive)).toEqual([]);
    },
  );

  test('without any server it says so in one sentence', async () => {
    const { code, stdout, stderr } = await start([], { HOLDFAST_TEST_SERVERS: 'none' }).ended;
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^This example needs a Redis or Valkey server[^\n]+\.\n$/);
  });

  test('--help explains it', async () => {
    const { code, stdout } = await start(['--help']).ended;
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Usage: npm run soft-cap /);
  });
});
