/** A process of a crowd: several workers that take one lock or permit, hold it, give it back, until the time is over. */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { noteUnhandled, unhandled } from '../bounded.ts';
import { connect } from '../clients.ts';
import { countSent } from '../count-sent.ts';
import { type Lock, messageOf, type Release } from '../rivals/contender.ts';
import { contenderOf } from '../rivals/index.ts';
import type { Assignment, Finished } from './crowd.ts';
import { nowMs, type Turn } from './turn.ts';

const { ports, contender, name, workers, holdMs, ttlMs, kind, limit } = JSON.parse(
  process.env.ASSIGNMENT ?? '{}',
) as Assignment;
const sent = countSent();
noteUnhandled();
let lastFailure: string | undefined;

async function open(): Promise<Lock> {
  const one = contenderOf(contender);
  if (kind === 'quorum') {
    const { Redis } = await import('ioredis');
    const nodes = ports.map((port) => new Redis({ port }));
    await Promise.all(nodes.map((node) => node.ping()));
    return await known(one.quorum?.(nodes));
  }
  const client = await connect(one.on[0] ?? 'ioredis5', ports[0] ?? 0);
  if (kind === 'semaphore') return await known(one.semaphore?.(client, { ttlMs, limit, renew: true }));
  return await known(one.lock?.(client, { ttlMs }));
}

async function known<T>(opened: Promise<T> | undefined): Promise<T> {
  if (opened === undefined) throw new Error(`${contender} has no ${kind}`);
  return await opened;
}

async function worker({ acquire }: Lock, turns: Turn[]): Promise<never> {
  for (;;) {
    const turn: Turn = { askedAt: nowMs(), failedAt: [] };
    turns.push(turn);
    const release = await persist(acquire, turn);
    turn.gotAt = nowMs();
    if (holdMs > 0) await sleep(holdMs);
    turn.leftAt = nowMs();
    await release().catch((error: unknown) => {
      turn.releaseFailed = true;
      lastFailure = messageOf(error);
    });
  }
}

async function persist(acquire: Lock['acquire'], turn: Turn): Promise<Release> {
  for (;;) {
    try {
      return await acquire(name);
    } catch (error) {
      turn.failedAt.push(nowMs());
      lastFailure = messageOf(error);
      await nextTurn();
    }
  }
}

/** Nobody is waited for at the end: a contender that hangs shall not hang the benchmark. The parent ends this process. */
async function run({ from, until }: { from: number; until: number }): Promise<void> {
  const turns = Array.from({ length: workers }, (): Turn[] => []);
  for (const own of turns) void worker(lock, own);
  await sleep(from - nowMs());
  const before = { ...sent };
  await sleep(until - nowMs());
  const commands = sent.commands - before.commands;
  const finished: Finished = {
    type: 'done',
    turns: seenAt(nowMs(), turns),
    commands,
    unhandled,
    ...(lastFailure && { lastFailure }),
  };
  process.send?.(finished);
}

/** A hold that lasts is known to have lasted until now, and no longer: the other processes are asked a little later. */
const seenAt = (now: number, turns: Turn[][]): Turn[][] =>
  turns.map((own) => own.map((turn) => (turn.gotAt === undefined ? turn : { leftAt: now, ...turn })));

process.once('disconnect', () => process.exit());
const lock = await open();
process.once('message', (window: { from: number; until: number }) => void run(window));
process.send?.({ type: 'ready' });
