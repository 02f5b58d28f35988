import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A server program that was tried and said its version. */
export interface ServerBinary {
  /** For people: "Redis 7.0.15". */
  label: string;
  kind: 'redis' | 'valkey';
  version: string;
  command: string;
  /** What goes before the server's own arguments: for a private copy the loader's, with the program. */
  args: string[];
  /** True if `command` is a dynamic loader, which takes a preload as an argument and not from the environment. */
  loader: boolean;
}

export type Tried = { server: ServerBinary } | { why: string };

/** Runs the program with `--version` and reads the answer. */
export async function tryServer(launch: {
  command: string;
  args?: string[];
  loader?: boolean;
}): Promise<Tried> {
  const { command, args = [], loader = false } = launch;
  try {
    const { stdout } = await run(command, [...args, '--version'], { timeout: 10_000 });
    const [, name, version] = /^(Redis|Valkey) server v=(\S+)/.exec(stdout) ?? [];
    if (!name || !version)
      return { why: `${basename(command)} --version said ${JSON.stringify(stdout.slice(0, 80))}` };
    const kind = name === 'Redis' ? 'redis' : 'valkey';
    return { server: { label: `${name} ${version}`, kind, version, command, args, loader } };
  } catch (error) {
    return { why: `${basename(command)} --version failed: ${(error as Error).message.trim()}` };
  }
}

/** The program's full path, if a folder of PATH has it. */
export function onPath(program: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  return folders.map((folder) => join(folder, program)).find(isExecutable);
}

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
