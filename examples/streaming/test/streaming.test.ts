import { eventually, findServer, startServer } from '@holdfast/testkit';
import { beforeAll, describe, expect, test } from 'vitest';
import { isAlive, longestLine, starter } from '../../common/test/started.ts';
import type { Result } from '../src/result.ts';

const start = starter(new URL('../dist/main.js', import.meta.url));
/** A private copy is unpacked before the clock of any test runs. */
beforeAll(() => findServer(), 200_000);

describe('the streaming example', { timeout: 120_000 }, () => {
  test('--json prints one document: never more connections than seats, whatever happens to whom', async () => {
    const { code, stdout, stderr } = await start(['--json']).ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const result: Result = JSON.parse(stdout);
    expect(result).toMatchObject({ seats: 4, subscribers: 7 });
    expect(result.connections.total).toBe(8);
    expect(result.connections.maxOpen).toBe(4);
    expect(result.seated).toEqual(['A', 'B', 'C', 'D', 'E', 'F', 'G', 'B']);
    expect(result.end).toEqual({ held: 0, waiting: 0, allAtOnce: true, oneMore: false });
    ofTheCutOff(result);
    ofTheOthers(result);
  });

  function ofTheCutOff({ cutOff, ttlMs }: Result): void {
    const busyMs = ttlMs / 2; // a busy machine may run a process late by some of this
    expect(cutOff).toMatchObject({ subscriber: 'B', next: 'F', reason: 'expired' });
    expect(cutOff.leaseEndsAfterMs).toBeLessThanOrEqual(ttlMs);
    expect(cutOff.toldAfterMs).toBeLessThan(cutOff.leaseEndsAfterMs + busyMs);
    expect(cutOff.toldAfterMs).toBeLessThanOrEqual(cutOff.closedAfterMs);
    expect(cutOff.closedAfterMs).toBeLessThanOrEqual(cutOff.nextConnectedAfterMs);
    expect(cutOff.nextAfterMs).toBeGreaterThan(cutOff.leaseEndsAfterMs);
    expect(cutOff.pushedMeanwhile).toBeGreaterThan(0);
  }

  function ofTheOthers({ handedOver, returned, killed, kept, ttlMs }: Result): void {
    expect(handedOver).toMatchObject({ left: 'D', next: 'E' });
    expect(handedOver.nextAfterMs).toBeLessThan(ttlMs / 2);
    expect(returned).toMatchObject({ left: 'A', next: 'B' });
    expect(killed).toMatchObject({ subscriber: 'C', next: 'G' });
    expect(killed.nextAfterMs).toBeGreaterThan(killed.leftMs ?? ttlMs);
    expect(killed.nextAfterMs).toBeLessThan(ttlMs * 1.5);
    expect(kept).toMatchObject({ subscriber: 'A', sameToken: true, missed: 0 });
    expect(kept.ttls).toBeGreaterThan(10);
    expect(kept.renewals).toBeGreaterThan(10);
    expect(Number.isSafeInteger(kept.token)).toBe(true);
  }

  test('tells it in plain lines, on a server of REDIS_URL that is left as it was', async () => {
    await using server = await startServer({ password: 'se/cr et' });
    await server.command('SET', 'mine', 'untouched');
    const { code, stdout, stderr } = await start([], { REDIS_URL: server.url }).ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('waiting in this order: E, F, G');
    expect(stdout).toMatch(/never more than 4 at once/);
    expect(stdout).toMatch(/lease\.signal aborts in B \.+ [\d,]+ ms/);
    expect(stdout).not.toContain('\x1b');
    expect(stdout).not.toMatch(/se(\/|%2F)cr/);
    expect(longestLine(stdout)).toBeLessThanOrEqual(80);
    expect(await server.command('KEYS', '*')).toEqual(['mine']);
  });

  test.each(['1  The seats fill', 'Nothing gets through', 'SIGKILL'])(
    'Ctrl-C at "%s" ends with 130 and leaves no process behind',
    async (moment) => {
      const program = start();
      await eventually(() => program.stdout.includes(moment), { withinMs: 90_000, what: moment });
      const below = program.descendants();
      expect(below.filter(({ command }) => command.includes('subscriber-worker.js'))).not.toEqual([]);
      program.child.kill('SIGINT');
      expect((await program.ended).code).toBe(130);
      expect(below.filter(isAlive)).toEqual([]);
    },
  );

  test('without any server, or with a wrong REDIS_URL, it says so in one sentence', async () => {
    const none = await start([], { HOLDFAST_TEST_SERVERS: 'none' }).ended;
    expect(none).toMatchObject({ code: 1, stdout: '' });
    expect(none.stderr).toMatch(/^This example needs a Redis or Valkey server[^\n]+\.\n$/);
    const wrong = await start([], { REDIS_URL: 'redis://me:hush@127.0.0.1:1' }).ended;
    expect(wrong).toMatchObject({ code: 1, stdout: '' });
    expect(wrong.stderr).toMatch(/^REDIS_URL: [^\n]+\.\n$/);
    expect(wrong.stderr).not.toContain('hush');
  });

  test('--help explains it', async () => {
    const { code, stdout } = await start(['--help']).ended;
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Usage: npm run streaming /);
  });
});
