/** A process of the contended run: several workers that take one lock, hold it, give it back, until the time is over. */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { countCommands } from '../count-commands.ts';
import { messageOf, type Release } from './contender.ts';
import { contended } from './contenders.ts';
import { nowMs, type Turn } from './turn.ts';

const { PORTS = '', CONTENDER, NAME = '', HOLD_MS, WORKERS } = process.env;
const holdMs = Number(HOLD_MS);
const nodes = PORTS.split(',').map((port) => new Redis({ port: Number(port) }));
const sent = countCommands(nodes);
await Promise.all(nodes.map((node) => node.ping()));
const opened = await contended.find(({ id }) => id === CONTENDER)?.open(nodes, NAME);
if (opened === undefined) throw new Error(`there is no contender ${CONTENDER}`);
let lastFailure: string | undefined;

async function worker(turns: Turn[]): Promise<never> {
  for (;;) {
    const turn: Turn = { askedAt: nowMs(), failedAt: [] };
    turns.push(turn);
    const release = await persist(turn);
    turn.gotAt = nowMs();
    if (holdMs > 0) await sleep(holdMs);
    turn.leftAt = nowMs();
    await release().catch((error) => {
      turn.releaseFailed = true;
      lastFailure = messageOf(error);
    });
  }
}

async function persist(turn: Turn): Promise<Release> {
  for (;;) {
    try {
      return await acquire();
    } catch (error) {
      turn.failedAt.push(nowMs());
      lastFailure = messageOf(error);
      await nextTurn();
    }
  }
}

const { acquire } = opened;

/** Nobody is waited for at the end: a contender that hangs shall not hang the benchmark. The parent ends this process. */
async function run({ from, until }: { from: number; until: number }): Promise<void> {
  const turns = Array.from({ length: Number(WORKERS) }, (): Turn[] => []);
  for (const own of turns) void worker(own);
  await sleep(from - nowMs());
  sent.commands = 0;
  await sleep(until - nowMs());
  process.send?.({ type: 'done', turns, commands: sent.commands, lastFailure });
}

process.once('message', (window: { from: number; until: number }) => void run(window));
process.once('disconnect', () => process.exit());
process.send?.({ type: 'ready' });
