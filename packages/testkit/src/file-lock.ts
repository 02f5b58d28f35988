import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Runs `work` while no other process on this machine runs it under the same lock file. A courtesy against doing the
 * same work twice, not a guarantee: after `patienceMs`, or if the holder has died, it goes ahead regardless.
 */
export async function oneAtATime<T>(file: string, patienceMs: number, work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + patienceMs;
  while (!take(file)) {
    if (holderIsGone(file) || performance.now() > deadline) rmSync(file, { force: true });
    else await sleep(200);
  }
  try {
    return await work();
  } finally {
    if (holder(file) === process.pid) rmSync(file, { force: true });
  }
}

/** A link is made with its content in one step, so nobody ever reads a lock without a pid in it. */
function take(file: string): boolean {
  const mine = `${file}.${process.pid}`;
  writeFileSync(mine, String(process.pid));
  try {
    linkSync(mine, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(mine, { force: true });
  }
}

function holder(file: string): number | undefined {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

function holderIsGone(file: string): boolean {
  const pid = holder(file);
  if (pid === undefined) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
