/** A process of the recovery part: it takes one lock when it is told to, holds it, gives it back. */
import { noteUnhandled } from '../bounded.ts';
import { connect } from '../clients.ts';
import { nowMs } from '../crowd/turn.ts';
import { messageOf, type Release } from '../rivals/contender.ts';
import { contenderOf } from '../rivals/index.ts';
import type { Assignment } from './recovery.ts';

const { port, contender, name, ttlMs } = JSON.parse(process.env.ASSIGNMENT ?? '{}') as Assignment;
process.once('disconnect', () => process.exit());
noteUnhandled();
const one = contenderOf(contender);
const client = await connect(one.on[0] ?? 'ioredis5', port);
const lock = await one.lock?.(client, { ttlMs });
let release: Release | undefined;

/** Whoever gives up asks again at once: what is measured is when the lock is there for somebody. */
async function acquire(): Promise<void> {
  process.send?.({ type: 'asking' });
  while (release === undefined) {
    try {
      release = await lock?.acquire(name);
    } catch (error) {
      process.send?.({ type: 'failed', message: messageOf(error) });
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }
  process.send?.({ type: 'got', at: nowMs() });
}

const actions: Record<string, () => Promise<unknown>> = {
  acquire,
  release: async () => release?.().catch(() => {}),
};

process.on('message', (message: string) => void actions[message]?.());
process.send?.({ type: 'ready' });
