/** Holdfast's lock and semaphore, through the same explorer: no bad order. */
import type { Lease } from 'holdfast';
import type { End, ExploredActor, Scenario, Step } from '../explore/scenario.ts';
import { holdfastOf } from './holdfast-actor.ts';

/** Nobody renews: an order is over long before. */
const OPTIONS = { ttlMs: 10_000, waitMs: 2_000, renew: false };

async function waitAndWork(actor: ExploredActor): Promise<string> {
  const own = holdfastOf(actor);
  own.doing = 'acquire';
  const lease = await own.holdfast.lock('lock', OPTIONS).acquire();
  actor.enter();
  own.doing = 'release';
  const releasing = lease.release();
  // It works until the release reaches the server.
  return await releasing.finally(() => actor.leave());
}

/** Before anybody has the next turn, so that the list is in the order of the grants. */
async function noteGrant(actor: ExploredActor, { fencingToken }: Lease): Promise<void> {
  await actor.aside('RPUSH', 'granted', fencingToken);
}

async function tryAndWrite(actor: ExploredActor): Promise<string> {
  const own = holdfastOf(actor);
  own.doing = 'acquire';
  const lease = await own.holdfast.lock('lock', OPTIONS).tryAcquire();
  if (lease === undefined) return 'busy';
  await noteGrant(actor, lease);
  const script = `local last = tonumber(redis.call('get', KEYS[1]) or '0')
    if tonumber(ARGV[1]) < last then return 'refused' end
    redis.call('set', KEYS[1], ARGV[1]) return 'accepted'`;
  const written = await actor.sendAs(
    'write with its fencing token',
    'EVAL',
    script,
    1,
    'fence',
    lease.fencingToken,
  );
  own.doing = 'release';
  await lease.release();
  return String(written);
}

/** A name that the process has locked before is locked by two plain commands. */
async function lockTwice(actor: ExploredActor): Promise<void> {
  const own = holdfastOf(actor);
  for (let round = 0; round < 2; round++) {
    own.doing = 'acquire';
    const lease = await own.holdfast.lock('lock', OPTIONS).tryAcquire();
    if (lease === undefined) continue;
    await noteGrant(actor, lease);
    actor.enter();
    own.doing = 'release';
    await lease.release().finally(() => actor.leave());
  }
}

const tryPermit = (permits: number) => async (actor: ExploredActor) => {
  const own = holdfastOf(actor);
  own.doing = 'acquire';
  const lease = await own.holdfast.semaphore('seats', { ...OPTIONS, limit: 2 }).tryAcquire(permits);
  if (lease === undefined) return 'busy';
  actor.enter(permits);
  own.doing = 'release';
  return await lease.release().finally(() => actor.leave());
};

const waitForPermits = (permits: number) => async (actor: ExploredActor) => {
  const own = holdfastOf(actor);
  own.doing = 'acquire';
  const lease = await own.holdfast.semaphore('seats', { ...OPTIONS, limit: 2 }).acquire({ permits });
  actor.enter(permits);
  own.doing = 'release';
  return await lease.release().finally(() => actor.leave());
};

async function tryAgain(actor: ExploredActor): Promise<string> {
  const own = holdfastOf(actor);
  const lock = own.holdfast.lock('lock', OPTIONS);
  for (let tries = 0; tries < 3; tries++) {
    own.doing = 'acquire';
    const lease = await lock.tryAcquire();
    if (lease === undefined) continue;
    actor.enter();
    own.doing = 'release';
    return await lease.release().finally(() => actor.leave());
  }
  return 'busy';
}

async function keptForEver({ crowd, read }: End): Promise<string | undefined> {
  return crowd ?? (Number(await read('PTTL', 'lock')) === -1 ? 'the lock has no expiry' : undefined);
}

function crowdOrStuck({ crowd, outcomes }: End): string | undefined {
  const stuck = Object.entries(outcomes).find(
    ([, outcome]) => outcome.is === 'stuck' || outcome.is === 'failed',
  );
  return crowd ?? (stuck && `${stuck[0]} waits for ever`);
}

async function tokensGoBack({ read }: End): Promise<string | undefined> {
  const tokens = ((await read('LRANGE', 'granted', 0, -1)) as string[]).map(Number);
  const back = tokens.some((token, i) => i > 0 && token <= (tokens[i - 1] ?? 0));
  return back ? `the fencing tokens do not grow: ${tokens.join(', ')}` : undefined;
}

const common = { expects: 'no bug', verdict: crowdOrStuck } satisfies Partial<Scenario>;

export const holdfastStep: Step = {
  id: '8',
  name: 'Holdfast',
  about:
    'The library itself, its commands and messages put into every order. Each operation is one script, so there is nothing in between, and a release makes the next waiter the holder; only a free lock that was held before is taken by two plain commands.',
  scenarios: [
    {
      ...common,
      name: 'two wait for one lock',
      about: 'A and B acquire, work and release; whoever comes second waits in the queue.',
      actors: { A: waitAndWork, B: waitAndWork },
      shows: ['lock'],
    },
    {
      ...common,
      name: 'three wait for one lock',
      about: 'A, B and C acquire, work and release.',
      actors: { A: waitAndWork, B: waitAndWork, C: waitAndWork },
      maxOrders: 300,
      shows: ['lock'],
    },
    {
      ...common,
      name: 'the holder dies',
      about: 'A may die at any moment; its lease runs out; B tries three times.',
      actors: { A: tryAgain, B: tryAgain },
      happenings: [{ is: 'crash', actor: 'A' }],
      shows: ['lock'],
      verdict: keptForEver,
    },
    {
      ...common,
      name: 'the lease runs out, the resource looks at the token',
      about: 'A and B try the lock and write with their fencing token, while the lease of one may run out.',
      actors: { A: tryAndWrite, B: tryAndWrite },
      happenings: [{ is: 'expiry', key: 'lock' }],
      shows: ['fence', 'granted'],
      verdict: tokensGoBack,
    },
    {
      ...common,
      name: 'a free lock is taken by two plain commands',
      about: 'A and B each take and give back the lock twice; what the other sends may come between the two.',
      actors: { A: lockTwice, B: lockTwice },
      shows: ['lock', 'granted'],
      verdict: async (end) => end.crowd ?? (await tokensGoBack(end)),
    },
    {
      ...common,
      name: 'the lease runs out between the two commands',
      about:
        'The same, while the lease of one may run out at any moment: the token of the later grant is the greater one.',
      actors: { A: lockTwice, B: tryAndWrite },
      happenings: [{ is: 'expiry', key: 'lock' }],
      shows: ['lock', 'granted'],
      verdict: tokensGoBack,
    },
    {
      ...common,
      name: 'three try a semaphore of two, with clocks an hour off',
      about: 'A takes two permits, B and C one each.',
      actors: { A: tryPermit(2), B: tryPermit(1), C: tryPermit(1) },
      clockAheadMs: { B: 3_600_000, C: -3_600_000 },
      limit: 2,
    },
    {
      ...common,
      name: 'two wait for a semaphore',
      about: 'A wants both permits, B one.',
      actors: { A: waitForPermits(2), B: waitForPermits(1) },
      limit: 2,
    },
  ],
};
