/** Two locks with the library: a circle is found and ends, and whoever names both beforehand cannot get into one. */
import { type RedisProcess, startServer } from '@holdfast/testkit';
import { DeadlockError, Holdfast, type Lease } from 'holdfast';
import { Redis } from 'ioredis';
import { type Drama, type Played, Recorder } from '../../explore/drama.ts';

const WAITERS = ['A', 'B'] as const;

interface Member extends AsyncDisposable {
  readonly who: string;
  readonly holdfast: Holdfast;
}

export function member(who: string, { port }: RedisProcess): Member {
  const redis = new Redis({ host: '127.0.0.1', port });
  const holdfast = new Holdfast(redis, { label: who });
  return {
    who,
    holdfast,
    async [Symbol.asyncDispose]() {
      await holdfast.close();
      redis.disconnect();
    },
  };
}

/** Whose `x` and `y` are. */
const holders = (server: RedisProcess) => async (): Promise<Record<string, string>> => {
  const [x, y] = await server.pipeline([
    ['GET', 'x'],
    ['GET', 'y'],
  ]);
  return { x: x === null ? 'free' : 'held', y: y === null ? 'free' : 'held' };
};

export const foundDeadlock: Pick<Drama, 'actors' | 'run'> = { actors: WAITERS, run: circle };

async function circle(): Promise<Played> {
  await using server = await startServer();
  await using a = member('A', server);
  await using b = member('B', server);
  const recorder = new Recorder(holders(server));
  const x = await take(a, 'x', recorder);
  const y = await take(b, 'y', recorder);
  const second = (one: Member, name: string, held: Lease, holds: string) =>
    within(one, name, held, holds, recorder);
  const ends = await Promise.all([second(a, 'y', x, 'x'), second(b, 'x', y, 'y')]);
  const victims = ends.filter((end) => end === 'deadlock').length;
  const why = victims === 1 ? undefined : `${victims} of the two were told of a deadlock`;
  return { lines: recorder.lines, why };
}

async function take({ who, holdfast }: Member, name: string, recorder: Recorder): Promise<Lease> {
  const lease = await holdfast.lock(name).acquire();
  await recorder.say(who, `acquires ${name} with Holdfast`, 'lease');
  return lease;
}

async function within(
  { who, holdfast }: Member,
  name: string,
  held: Lease,
  holds: string,
  recorder: Recorder,
): Promise<'both' | 'deadlock'> {
  await recorder.say(who, `acquires ${name}, within its lease of ${holds}`, 'waits');
  try {
    const lease = await holdfast.lock(name).acquire({ within: held });
    await recorder.say(who, `has ${name}`, 'lease');
    await lease.release();
    return 'both';
  } catch (error) {
    if (!(error instanceof DeadlockError)) throw error;
    const circle = error.cycle.map(
      (link) => `${link.process.label} holds ${link.holds}, waits for ${link.waitsFor}`,
    );
    await recorder.say(who, `is told of the circle, and gives up`, `DeadlockError: ${circle.join('; ')}`);
    return 'deadlock';
  } finally {
    await held.release();
    await recorder.say(who, `releases ${holds}`);
  }
}

export const allTogether: Pick<Drama, 'actors' | 'run'> = { actors: WAITERS, run: together };

async function together(): Promise<Played> {
  await using server = await startServer();
  await using a = member('A', server);
  await using b = member('B', server);
  const recorder = new Recorder(holders(server));
  const crowd = { now: 0, most: 0 };
  await Promise.all([work(a, ['x', 'y'], recorder, crowd), work(b, ['y', 'x'], recorder, crowd)]);
  return { lines: recorder.lines, why: crowd.most === 1 ? undefined : 'both had the locks at once' };
}

async function work(
  { who, holdfast }: Member,
  names: readonly string[],
  recorder: Recorder,
  crowd: { now: number; most: number },
): Promise<void> {
  for (let round = 0; round < 2; round++) {
    await holdfast.all(names).use(async () => {
      crowd.most = Math.max(crowd.most, ++crowd.now);
      recorder.enter(who);
      await recorder.say(who, `has all([${names.join(', ')}])`, 'leases');
      crowd.now--;
      recorder.leave(who);
    });
    await recorder.say(who, 'releases both');
  }
}
