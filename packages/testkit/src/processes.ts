/*
 * Every process the kit starts ends with the process that started it: at an exit or a signal through the handlers below,
 * and if the parent itself is killed -9 through the kernel's parent-death signal, where `setpriv` is there to ask for it.
 * (The kernel ties that signal to the thread that forked: a child started by a worker thread ends with that thread.)
 */
import type { ChildProcess } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';

const SETPRIV = '/usr/bin/setpriv';
const running = new Set<ChildProcess>();
const folders = new Set<string>();

export interface Command {
  command: string;
  args: string[];
}

/** The same command, started so that the kernel kills it when its parent dies. The pid stays the program's own. */
export function dyingWithParent({ command, args }: Command): Command {
  if (process.platform !== 'linux' || !existsSync(SETPRIV)) return { command, args };
  return { command: SETPRIV, args: ['--pdeathsig', 'KILL', '--', command, ...args] };
}

/** Kills the child at process exit if it still runs then. */
export function track(child: ChildProcess): void {
  running.add(child);
  child.once('exit', () => running.delete(child));
}

/** Removes the folder at process exit, unless `removeFolder` did before. */
export function trackFolder(folder: string): void {
  folders.add(folder);
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  folders.delete(folder);
}

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** Settles when the process has ended, also if it could not be started at all (code and signal are null then). */
export function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
    child.once('error', () => child.pid === undefined && resolve({ code: null, signal: null }));
  });
}

function cleanUp(): void {
  for (const child of running) child.kill('SIGKILL');
  for (const folder of folders) removeFolder(folder);
}

process.on('exit', cleanUp);

/* A signal ends node without an exit event (a test runner ends its workers so). It shall still end as before. */
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    if (process.listenerCount(signal) > 0) return; // somebody else decides what the signal means
    cleanUp();
    process.kill(process.pid, signal);
  });
}
