/** Steps 1, 2, 3, 9 and 10: every bug is found, and its shortest order is the one that a teacher would draw. */
import { describe, expect, test } from 'vitest';
import { listServers, newerServers, startServer } from '../../testkit/src/index.ts';
import { connections } from '../src/explore/connections.ts';
import type { Drama, Played } from '../src/explore/drama.ts';
import { explore } from '../src/explore/explore.ts';
import type { Line, Step } from '../src/explore/scenario.ts';
import { simple } from '../src/steps/1-simple-lock.ts';
import { withTimeout } from '../src/steps/2-lock-with-timeout.ts';
import { oneCommand } from '../src/steps/3-one-command.ts';
import { failOver } from '../src/steps/9-fail-over.ts';
import { twoLocks } from '../src/steps/10-two-locks.ts';
import { ownServer } from './own-server.ts';

const bounds = { maxOrders: 3_000, seed: 1 };

const textOf = (lines: readonly Line[] = []) =>
  lines.map(({ who, what, reply }) => `${who}: ${what} ${reply}`.trim());

function scenarioOf(step: Step, name: string) {
  const scenario = step.scenarios.find((one) => one.name === name);
  if (scenario === undefined) throw new Error(`step ${step.id} has no scenario ${name}`);
  return scenario;
}

/** The shortest bad order of each bug. */
const SHORTEST: Record<string, readonly string[]> = {
  '1 the holder crashes': ['A: SETNX lock a1 1', 'crash: A dies', 'B: SETNX lock b1 0', 'B: SETNX lock b1 0'],
  '1 release by a blind DEL': [
    'A: SETNX lock a1 1',
    'operator: deletes lock by hand',
    'B: SETNX lock b1 1',
    'A: DEL lock 1',
    'B: GET lock (nil)',
    'B: its lock is gone',
  ],
  '2 a crash between SETNX and EXPIRE': [
    'A: SETNX lock a1 1',
    'crash: A dies',
    'B: SETNX lock b1 0',
    'B: SETNX lock b1 0',
  ],
  '2 repaired if “not ttl”': [
    'A: SETNX lock a1 1',
    'crash: A dies',
    'B: SETNX lock b1 0',
    'B: TTL lock -1',
    'B: SETNX lock b1 0',
    'B: TTL lock -1',
  ],
  '2 the lease runs out while its holder works': [
    'A: SETNX lock a1 1',
    'A: EXPIRE lock 100 1',
    'A: GET stock 1',
    'time: the time of lock runs out',
    'B: SETNX lock b1 1',
    'B: EXPIRE lock 100 1',
    'B: GET stock 1',
    'B: SET stock 0 OK',
    'B: sells a ticket',
    'A: SET stock 0 OK',
    'A: sells a ticket',
  ],
  '3 release by GET, compare, DEL': [
    'A: SET lock a1 NX PX 100000 OK',
    'A: GET lock a1',
    'time: the time of lock runs out',
    'B: SET lock b1 NX PX 100000 OK',
    'A: DEL lock 1',
    'B: GET lock (nil)',
    'B: its lock is gone',
  ],
  '3 the lease runs out while its holder works': [
    'A: SET lock a1 NX PX 100000 OK',
    'A: GET stock 1',
    'time: the time of lock runs out',
    'B: SET lock b1 NX PX 100000 OK',
    'B: GET stock 1',
    'B: SET stock 0 OK',
    'B: sells a ticket',
    'A: SET stock 0 OK',
    'A: sells a ticket',
  ],
  '10 x then y, y then x': [
    'A: SET x a1 NX PX 100000 OK',
    'B: SET y b1 NX PX 100000 OK',
    'B: SET x b2 NX PX 100000 (nil)',
    'B: SET x b2 NX PX 100000 (nil)',
    'A: SET y a2 NX PX 100000 (nil)',
    'A: SET y a2 NX PX 100000 (nil)',
  ],
  '10 three in a circle': [
    'A: SET x a1 NX PX 100000 OK',
    'C: SET z c1 NX PX 100000 OK',
    'C: SET x c2 NX PX 100000 (nil)',
    'B: SET y b1 NX PX 100000 OK',
    'B: SET z b2 NX PX 100000 (nil)',
    'A: SET y a2 NX PX 100000 (nil)',
  ],
};

describe('every order', () => {
  const lab = ownServer();

  for (const step of [simple, withTimeout, oneCommand, twoLocks]) {
    const anywhere = step.scenarios.filter(({ needs }) => needs === undefined);
    test.for(anywhere)(`step ${step.id}, $name: $expects`, async (scenario) => {
      const found = await explore(scenario, lab.own, bounds);
      expect(found.complete).toBe(true);
      expect(found.orders).toBeGreaterThan(10);
      expect(found.bad > 0 ? 'bug' : 'no bug', found.shortest?.why).toBe(scenario.expects);
      expect(textOf(found.shortest?.lines)).toEqual(SHORTEST[`${step.id} ${scenario.name}`] ?? []);
    });
  }

  test('where the lease ran out, both are at work at the same time', async () => {
    const scenario = scenarioOf(oneCommand, 'the lease runs out while its holder works');
    const { shortest } = await explore(scenario, lab.own, bounds);
    expect(shortest?.lines.map(({ inside }) => inside)).toContainEqual(['A', 'B']);
  });
});

describe('release by one command', () => {
  for (const command of ['DELIFEQ', 'DELEX']) {
    test(`${command}, on the servers that have it: no bug`, async (context) => {
      const newer = await newerServers();
      const servers = [...(await listServers()).servers, ...newer.servers];
      const scenario = oneCommand.scenarios.find(({ needs }) => needs?.[0] === command);
      if (scenario === undefined) throw new Error(`no scenario needs ${command}`);
      let explored = 0;
      for (const binary of servers) {
        await using server = await startServer({ binary });
        using own = connections(server.port);
        const found = await explore(scenario, own, bounds);
        if (found.skipped !== undefined) continue;
        explored++;
        expect(found, binary.label).toMatchObject({ bad: 0, complete: true });
        expect(found.orders, binary.label).toBeGreaterThan(10);
      }
      if (explored > 0) return;
      const missing = newer.missing.map(({ what, why }) => `; ${what}: ${why}`).join('');
      const why = `none of ${servers.map(({ label }) => label).join(', ')} has ${command}${missing}`;
      console.warn(`\nNOT RUN: release by ${command}: ${why}\n`);
      context.skip(why);
    });
  }
});

describe('dramas', () => {
  const played = new Map<string, Promise<Played>>();
  const play = (drama: Drama) => {
    const run = played.get(drama.name) ?? drama.run();
    played.set(drama.name, run);
    return run;
  };
  const playByName = (name: string) => {
    const drama = failOver.dramas?.find((one) => one.name === name);
    if (drama === undefined) throw new Error(`there is no drama ${name}`);
    return play(drama);
  };

  test.for(failOver.dramas ?? [])('step 9, $name: $expects', async (drama) => {
    const { why, lines } = await play(drama);
    expect(why === undefined ? 'no bug' : 'bug', why).toBe(drama.expects);
    expect(lines.map(({ who }) => who)).toEqual(expect.arrayContaining([...drama.actors]));
  });

  test.for(twoLocks.dramas ?? [])('step 10, $name: $expects', async (drama) => {
    const { why, lines } = await drama.run();
    expect(why === undefined ? 'no bug' : 'bug', why).toBe(drama.expects);
    expect(lines.map(({ who }) => who)).toEqual(expect.arrayContaining([...drama.actors]));
  });

  test('after the fail-over each of the two servers says that another one holds the lock', async () => {
    const { lines } = await playByName('one master, its replica is promoted');
    expect(textOf(lines)).toEqual([
      'network: the link from the master to its replica is cut',
      'A: SET lock a1 NX PX 100000 → the master OK',
      'sentinel: cannot reach the master, and promotes its replica',
      'B: SET lock b1 NX PX 100000 → the promoted OK',
      'A: GET lock → the master a1',
      'B: GET lock → the promoted b1',
    ]);
    expect(lines.at(-1)).toMatchObject({
      keys: { 'lock on the master': 'a1', 'lock on the promoted': 'b1' },
      inside: ['A', 'B'],
    });
  });

  test('the late write is where a paused client without a fencing token goes wrong', async () => {
    const { lines, moment = -1 } = await playByName('a paused client, no fencing token');
    expect(lines[moment]).toMatchObject({ who: 'A', reply: 'accepted', keys: { resource: 'from A' } });
  });

  test('of two leases after a fail-over the later one has the greater token', async () => {
    const { lines } = await playByName('Holdfast on one master, its replica is promoted');
    const keys = lines.at(-1)?.keys ?? {};
    expect(Number(keys['token of B'])).toBeGreaterThan(Number(keys['token of A']));
  });

  test.for([
    'Holdfast over three servers, one fails over',
    'Holdfast over three servers, one is killed',
    'Holdfast over five servers, one fails over',
    'Holdfast over five servers, two are killed',
  ])('%s: busy for B, and A renews', async (name) => {
    const { lines } = await playByName(name);
    expect(lines.slice(-2)).toMatchObject([
      { who: 'B', reply: 'busy', inside: ['A'] },
      { who: 'A', reply: 'renewed', inside: ['A'] },
    ]);
  });

  test.for([
    ['three', 2],
    ['five', 3],
  ] as const)(
    'Holdfast over %s servers, of which one forgets: a majority for each, the later one with the greater token',
    async ([count, majority]) => {
      const { lines } = await playByName(`Holdfast over ${count} servers, one forgets`);
      const leases = lines.filter(({ reply }) => reply.startsWith('lease'));
      expect(leases.map(({ who }) => who)).toEqual(['A', 'B']);
      const [a = 0, b = 0] = leases.map(({ reply }) => Number(/\d+$/.exec(reply)?.[0]));
      expect(b).toBeGreaterThan(a);
      const { keys = {}, inside } = lines.at(-1) ?? {};
      expect(inside).toEqual(['A', 'B']);
      expect(Object.values(keys).filter((who) => who === 'B')).toHaveLength(majority);
    },
  );

  test('the resource refuses the paused client, who only then learns that its lease is over', async () => {
    const { lines } = await playByName('a paused client, a fencing token');
    const said = lines.map(({ who, what, reply }) => `${who}: ${what.split(' ')[0]} ${reply.split(' ')[0]}`);
    expect(said.slice(-4)).toEqual(['B: releases ', 'pause: the ', 'A: writes refused', 'A: learns ']);
    expect(lines.at(-1)?.what).toBe('learns that its lease was lost: expired');
    expect(lines.at(-1)?.keys.resource).toBe('from B');
  });
});
