/** The lock lives on one master. What its replica has not heard of is gone with it. */
import { Holdfast, type Lease } from 'holdfast';
import { Redis } from 'ioredis';
import { type Drama, type Played, Recorder } from '../../explore/drama.ts';
import type { Actor } from '../../explore/scenario.ts';
import { oneCommandLock } from '../locks/one-command-lock.ts';
import { cutPair, holders, type Pair, place } from './cut-replica.ts';

const LOCK = 'lock';

/** One way of locking, on either server. */
interface Way {
  take(who: string, where: keyof Pick<Pair, 'master' | 'replica'>): Promise<void>;
  /** Whether the server that it knows says that it holds the lock. */
  look(who: string): Promise<boolean>;
}

/** A acquires on the master, the replica is promoted, B acquires there; then both look. */
async function failOver(pair: Pair, recorder: Recorder, { take, look }: Way): Promise<Played> {
  await recorder.say('network', 'the link from the master to its replica is cut');
  await take('A', 'master');
  await pair.promote(recorder, 'the master');
  await take('B', 'replica');
  const both = [await look('A'), await look('B')].every(Boolean);
  return { lines: recorder.lines, why: both ? 'A and B hold the same lock' : undefined };
}

async function handMade(): Promise<Played> {
  await using pair = await cutPair();
  const places = { master: place('the master', pair.master), replica: place('the promoted', pair.replica) };
  const recorder = new Recorder(() => holders(Object.values(places), LOCK));
  const actors: Record<string, { actor: Actor; id: string | undefined }> = {};
  return await failOver(pair, recorder, {
    async take(who, where) {
      const actor = recorder.actor(who, places[where]);
      actors[who] = { actor, id: await oneCommandLock.acquire(actor, LOCK, 1) };
      actor.enter();
    },
    async look(who) {
      return (await actors[who]?.actor.send('GET', LOCK)) === actors[who]?.id;
    },
  });
}

async function withHoldfast(): Promise<Played> {
  await using pair = await cutPair();
  const members: Record<string, Member> = {};
  const tokens = () =>
    Object.entries(members).map(([who, { lease }]) => [`token of ${who}`, `${lease.fencingToken}`]);
  const recorder = new Recorder(async () => Object.fromEntries(tokens()));
  try {
    return await failOver(pair, recorder, {
      async take(who, where) {
        members[who] = await member(pair[where].port);
        recorder.enter(who);
        await recorder.say(who, `acquires ${LOCK} with Holdfast`, 'a lease');
      },
      async look(who) {
        const renewed = await members[who]?.lease.renew();
        await recorder.say(who, 'renews its lease', renewed);
        return renewed === 'renewed';
      },
    });
  } finally {
    await Promise.all(Object.values(members).map(({ leave }) => leave()));
  }
}

interface Member {
  readonly lease: Lease;
  leave(): Promise<void>;
}

async function member(port: number): Promise<Member> {
  const redis = new Redis({ host: '127.0.0.1', port });
  const holdfast = new Holdfast(redis);
  const leave = () => holdfast.close().finally(() => redis.disconnect());
  return { lease: await holdfast.lock(LOCK).acquire(), leave };
}

export const handMadeFailOver: Pick<Drama, 'actors' | 'run'> = { actors: ['A', 'B'], run: handMade };
export const holdfastFailOver: Pick<Drama, 'actors' | 'run'> = { actors: ['A', 'B'], run: withHoldfast };
