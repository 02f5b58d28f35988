/** redis-py in a process of its own (`workers/redis_py_lock.py`). */
import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Python, privateRedisPy } from '../../../../testkit/src/index.ts';

const SCRIPT = fileURLToPath(new URL('../workers/redis_py_lock.py', import.meta.url));

/** The machine's own Python if it has redis-py, else a private copy of both. */
async function python(): Promise<Python> {
  const own = { command: '/usr/bin/python3', args: [], env: {} };
  try {
    execFileSync(own.command, ['-c', 'import redis'], { stdio: 'ignore' });
    return own;
  } catch {
    const copy = await privateRedisPy();
    if (!('why' in copy)) return copy;
    throw new Error(`these tests need redis-py: run \`apt-get install python3-redis\` (${copy.why})`);
  }
}

export class RedisPy implements AsyncDisposable {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #answers: AsyncIterator<string>;

  static async start(port: number): Promise<RedisPy> {
    const { command, args, env } = await python();
    const peer = new RedisPy(
      spawn(command, [...args, SCRIPT, String(port)], { env: { ...process.env, ...env } }),
    );
    await peer.#answer();
    return peer;
  }

  constructor(child: ChildProcessWithoutNullStreams) {
    this.#child = child;
    child.stderr.pipe(process.stderr);
    this.#answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  }

  /** @param timeoutS of the lock, 0 for none; @param patienceS how long to go on trying */
  acquire(name: string, timeoutS: number, patienceS = 0): Promise<string> {
    return this.#ask('acquire', name, timeoutS, patienceS);
  }

  release(name: string): Promise<string> {
    return this.#ask('release', name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.stdin.end();
    if (this.#child.exitCode === null) await once(this.#child, 'exit');
  }

  #ask(...command: (string | number)[]): Promise<string> {
    this.#child.stdin.write(`${JSON.stringify(command)}\n`);
    return this.#answer();
  }

  async #answer(): Promise<string> {
    const { value, done } = await this.#answers.next();
    if (done) throw new Error('the python process has ended');
    return String(JSON.parse(value));
  }
}
