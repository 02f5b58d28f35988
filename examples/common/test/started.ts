/* An example program as a child process, as its user starts it. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
  tookMs: number;
}

class Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  stdout = '';
  stderr = '';

  /** Without what the tests themselves were told: where a server is, and whether to use colours. */
  constructor(main: URL, args: string[], env: Record<string, string>) {
    const startedAt = performance.now();
    const { REDIS_URL, FORCE_COLOR, HOLDFAST_TEST_SERVERS, ...own } = process.env;
    this.child = spawn(process.execPath, [fileURLToPath(main), ...args], { env: { ...own, ...env } });
    this.child.stdout?.setEncoding('utf8').on('data', (text) => {
      this.stdout += text;
    });
    this.child.stderr?.setEncoding('utf8').on('data', (text) => {
      this.stderr += text;
    });
    this.ended = once(this.child, 'close').then(([code]) => ({
      code,
      stdout: this.stdout,
      stderr: this.stderr,
      tookMs: performance.now() - startedAt,
    }));
  }

  /** The processes that it has started, and those that these have. */
  descendants(): { pid: number; command: string }[] {
    const lines = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' }).trim().split('\n');
    const all = lines.flatMap((line) => {
      const [, own, parent, command = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
      return own ? [{ pid: Number(own), parent: Number(parent), command }] : [];
    });
    const below = (root: number): typeof all =>
      all.filter(({ parent }) => parent === root).flatMap((each) => [each, ...below(each.pid)]);
    return below(this.child.pid ?? 0).filter(({ command }) => !command.startsWith('ps '));
  }
}

/** Starts programs of which `main` is the built entry. */
export function starter(main: URL) {
  return (args: string[] = [], env: Record<string, string> = {}) => new Started(main, args, env);
}

export function isAlive({ pid }: { pid: number }): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

export function longestLine(text: string): number {
  return Math.max(...text.split('\n').map((line) => line.length));
}
