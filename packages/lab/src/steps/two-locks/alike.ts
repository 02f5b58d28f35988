/** What else more than one needs at a time, with the library: readers together, one lock twice, and what comes after a holder that died. */
import { type RedisProcess, startServer } from '@holdfast/testkit';
import { LeaseLostError } from 'holdfast';
import { type Drama, type Played, Recorder } from '../../explore/drama.ts';
import { member } from './together.ts';

const TTL_MS = 200;
const COOLDOWN_MS = 200;

const keyed = (server: RedisProcess, key: string) => async (): Promise<Record<string, string>> => ({
  [key]: String((await server.command('GET', key)) ?? 'nothing'),
});

export const readersTogether: Pick<Drama, 'actors' | 'run'> = { actors: ['A', 'B', 'C'], run: readers };

async function readers(): Promise<Played> {
  await using server = await startServer();
  await using a = member('A', server);
  await using b = member('B', server);
  await using c = member('C', server);
  const recorder = new Recorder(keyed(server, 'page'));
  const sideOf = (one: typeof a) => one.holdfast.readWrite('page:lock');
  const first = await sideOf(a).read.acquire();
  await recorder.say('A', 'reads with Holdfast', 'lease');
  const second = await sideOf(b).read.acquire();
  await recorder.say('B', 'reads too', 'lease');
  const alone = await sideOf(c).write.tryAcquire();
  await recorder.say('C', 'would write: tryAcquire', alone === undefined ? 'not now' : 'lease');
  await Promise.all([first.release(), second.release()]);
  await recorder.say('A', 'and B release');
  const writer = await sideOf(c).write.acquire();
  await recorder.say('C', 'writes', 'lease');
  const late = await sideOf(a).read.tryAcquire();
  await recorder.say('A', 'would read: tryAcquire', late === undefined ? 'not now' : 'lease');
  await writer.release();
  const wrong = alone !== undefined || late !== undefined;
  return { lines: recorder.lines, why: wrong ? 'somebody wrote while another read' : undefined };
}

export const twiceAndLate: Pick<Drama, 'actors' | 'run'> = { actors: ['A', 'B'], run: late };

async function late(): Promise<Played> {
  await using server = await startServer();
  await using a = member('A', server);
  await using b = member('B', server);
  const recorder = new Recorder(keyed(server, 'stock'));
  const options = { ttlMs: TTL_MS, renew: false, reentrant: true, cooldownMs: COOLDOWN_MS };
  const outer = await a.holdfast.lock('x', options).acquire();
  await recorder.say('A', 'acquires x with Holdfast', 'lease');
  const inner = await a.holdfast.lock('x', options).acquire({ within: outer });
  const same = inner.fencingToken === outer.fencingToken;
  await recorder.say('A', 'acquires x again, within it', same ? 'the same lease' : 'another lease');
  const from = performance.now();
  const next = await b.holdfast.lock('x', options).acquire({ waitMs: 10 * TTL_MS });
  // The lease began a little before.
  const paused = performance.now() - from > COOLDOWN_MS;
  await recorder.say('B', 'gets x after the lease of A and the pause behind it (cooldownMs)', 'lease');
  await next.guard([['SET', 'stock', 'by B']]);
  await recorder.say('B', 'writes: guard', 'OK');
  const refused = await inner.guard([['SET', 'stock', 'by A']]).then(
    () => false,
    (error: unknown) => error instanceof LeaseLostError,
  );
  await recorder.say('A', 'writes too late: guard', refused ? 'LeaseLostError' : 'OK');
  await next.release();
  const left = await server.command('GET', 'stock');
  const why = [
    ...(same ? [] : ['entering again gave another lease']),
    ...(paused ? [] : ['the next one did not wait for the pause']),
    ...(refused && left === 'by B' ? [] : ['a late write was applied']),
  ];
  return { lines: recorder.lines, why: why.join('; ') || undefined };
}
