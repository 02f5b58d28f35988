/** The server dies and comes back: with what it had promised, without it, or with an older state of it. */
import { cpSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RedisProcess } from '@holdfast/testkit';
import type { Fault } from './fault.ts';

/** The clients try again at longer and longer intervals. */
const BACK_MS = 1_000;

async function restarted(server: RedisProcess, awayMs: number, before: () => void = () => {}): Promise<void> {
  await server.kill9();
  before();
  await sleep(awayMs);
  await server.start();
}

/** For a server with an append-only file that is fsynced at each write. */
export const restartKeeping: Fault = {
  what: 'server killed and restarted with its AOF',
  graceMs: () => BACK_MS,
  alone: true,
  async strike({ servers }, random) {
    await restarted(random.pick(servers), random.between(0, 100));
    return {};
  },
};

export const restartForgetting: Fault = {
  what: 'server killed and restarted without its data',
  graceMs: () => BACK_MS,
  alone: true,
  erasing: true,
  async strike({ servers }, random) {
    await restarted(random.pick(servers), random.between(0, 100));
    return {};
  },
};

/** As after a loss of power: what it wrote last is gone. */
export const restoreOlder: Fault = {
  what: 'server killed and an older AOF restored',
  graceMs: () => BACK_MS,
  alone: true,
  erasing: true,
  async strike({ servers }, random) {
    const server = random.pick(servers);
    const [data, copy] = ['appendonlydir', 'older'].map((folder) => join(server.dir, folder));
    if (data === undefined || copy === undefined || !existsSync(data)) return undefined;
    cpSync(data, copy, { recursive: true });
    await sleep(random.between(50, 400));
    await restarted(server, 0, () => {
      rmSync(data, { recursive: true });
      cpSync(copy, data, { recursive: true });
      rmSync(copy, { recursive: true });
    });
    return {};
  },
};
