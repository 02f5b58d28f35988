/*
 * Looking for a server can mean unpacking one, which runs apt-get for some seconds. When the run is ended meanwhile,
 * those processes have to end too; the kit then removes what they had begun.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Asking a program for its version is over by itself within this. */
const ALONE_MS = 300;

/** Resolves when the search is over. What it runs is killed, again and again since it may go on to its next step. */
export async function endSearch(finding: Promise<unknown>): Promise<void> {
  let settled = false;
  const settle = () => {
    settled = true;
  };
  finding.then(settle, settle);
  await Promise.race([finding, sleep(ALONE_MS)]).catch(() => {});
  while (!settled) {
    for (const pid of childPids()) kill(pid);
    await sleep(20);
  }
}

function childPids(): number[] {
  try {
    const tasks = readdirSync('/proc/self/task');
    const lists = tasks.map((task) => readFileSync(`/proc/self/task/${task}/children`, 'utf8'));
    return lists.join(' ').trim().split(/\s+/).filter(Boolean).map(Number);
  } catch {
    return []; // not Linux: there is no apt-get either
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // gone already
  }
}
