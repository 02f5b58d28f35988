import { existsSync, readFileSync } from 'node:fs';

/** True if there is such a process. One that is dead and waits for its parent to notice does not count. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    const stat = `/proc/${pid}/stat`;
    return !existsSync(stat) || !/\) Z /.test(readFileSync(stat, 'utf8'));
  } catch {
    return false;
  }
}
