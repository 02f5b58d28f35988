/** The hand-made lock on a majority of three, when one of the three loses its data. Hand-made: the library's quorum is not meant. */
import { startServer } from '@holdfast/testkit';
import { type Drama, type Place, type Played, Recorder } from '../../explore/drama.ts';
import { acquireOnMajority, type Quorum } from '../locks/redlock.ts';
import { cutPair, holders, place } from './cut-replica.ts';

const LOCK = 'lock';

function quorumOf(places: Place[]): Quorum {
  return { places, recorder: new Recorder(() => holders(places, LOCK)) };
}

async function take(quorum: Quorum, who: string): Promise<void> {
  if (await acquireOnMajority(quorum, who, LOCK)) quorum.recorder.enter(who);
}

async function verdict({ recorder }: Quorum): Promise<Played> {
  await recorder.say('A', 'still works');
  const inside = recorder.lines.at(-1)?.inside ?? [];
  const why = inside.length > 1 ? `${inside.join(' and ')} each have a majority` : undefined;
  return { lines: recorder.lines, why };
}

/** All three have agreed. Node 1 is the master of a replica that is behind. */
async function oneFailsOver(): Promise<Played> {
  await using pair = await cutPair();
  await using second = await startServer();
  await using third = await startServer();
  const places = [place('node 1', pair.master), place('node 2', second), place('node 3', third)];
  const quorum = quorumOf(places);
  await quorum.recorder.say('network', 'the link from node 1 to its replica is cut');
  await take(quorum, 'A');
  places[0] = place('node 1 (promoted)', pair.replica);
  await pair.promote(quorum.recorder, 'node 1');
  await take(quorum, 'B');
  return await verdict(quorum);
}

/** Only two have agreed, and one of them forgets. */
async function oneForgets(): Promise<Played> {
  await using first = await startServer();
  await using second = await startServer();
  await using third = await startServer();
  const quorum = quorumOf([place('node 1', first), place('node 2', second), place('node 3', third)]);
  const { recorder } = quorum;
  // None of them keeps anything on a disk.
  await third.kill9();
  await recorder.say('crash', 'node 3 is down');
  await take(quorum, 'A');
  await third.restart();
  await recorder.say('operator', 'starts node 3 again');
  await second.kill9();
  await second.restart();
  await recorder.say('crash', 'node 2 restarts without its data');
  await take(quorum, 'B');
  return await verdict(quorum);
}

export const majorityFailOver: Pick<Drama, 'actors' | 'run'> = { actors: ['A', 'B'], run: oneFailsOver };
export const majorityForgets: Pick<Drama, 'actors' | 'run'> = { actors: ['A', 'B'], run: oneForgets };
