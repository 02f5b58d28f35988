/** The built program, as a user runs it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import { eventually } from '../../../testkit/src/index.ts';

export const PROGRAM = fileURLToPath(new URL('../../bin/holdfast.js', import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Started {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly ended: Promise<Ended>;
  /** What it has printed so far. */
  readonly text: { stdout: string; stderr: string };
}

export interface StartOptions {
  readonly env?: Record<string, string>;
  readonly input?: string;
}

/** Every process that these tests cause inherits this: also what outlives the one that was started. */
const MARK = `HOLDFAST_TEST=${process.pid}-${randomUUID()}`;
const [MARK_NAME = '', MARK_VALUE] = MARK.split('=');

/** Whatever the tests caused is ended with them, each by its id: until none is left, since one may be about to start another. */
afterAll(async () => {
  const none = () => {
    const left = marked();
    for (const pid of left) process.kill(pid, 'SIGKILL');
    return left.length === 0;
  };
  await eventually(none, { withinMs: 5_000, what: 'no process that these tests caused' });
});

function marked(): number[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((pid) => isAlive(pid) && environmentOf(pid).includes(MARK));
}

function environmentOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  } catch {
    return []; // gone, or somebody else's
  }
}

export function start(url: string, args: readonly string[], { env, input }: StartOptions = {}): Started {
  const { FORCE_COLOR, NO_COLOR, ...own } = process.env;
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    env: { ...own, REDIS_URL: url, [MARK_NAME]: MARK_VALUE, ...env },
  });
  const text = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      text[name] += chunk;
    });
  child.stdin.on('error', () => {});
  child.stdin.end(input ?? '');
  const ended = once(child, 'close').then(([code]) => ({ code, ...text }));
  return { child, pid: child.pid ?? 0, ended, text };
}

export function run(url: string, args: readonly string[], options?: StartOptions): Promise<Ended> {
  return start(url, args, options).ended;
}

/** A folder that goes away with the tests. */
export function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'holdfast-cli-'));
  afterAll(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

/** Resolves with what `file` holds as soon as it holds a whole line. */
export function lineIn(file: string): Promise<string> {
  return eventually(
    () => {
      const text = readFileSync(file, 'utf8');
      return text.endsWith('\n') ? text.trim() : '';
    },
    { withinMs: 10_000, what: `a line in ${file}` },
  );
}

export function isAlive(pid: number): boolean {
  try {
    // A zombie is dead, though nobody has buried it.
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
