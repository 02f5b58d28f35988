/**
 * What ends the command when holdfast itself is killed with SIGKILL, and can do nothing any more: a small /bin/sh that waits at a pipe
 * whose other end only we hold. The kernel closes it with us, whatever ends us; then the guard sends SIGTERM to the command's group, and
 * SIGKILL to what is left. It costs no cooperation of the command. It cannot help where holdfast is only stopped: then, and where the
 * machine stalls, the fencing token has to.
 */
import { type ChildProcess, spawn } from 'node:child_process';

const SCRIPT = `read -r group || exit 0
read -r word
kill -TERM -"$group" 2>/dev/null || exit 0
kill -CONT -"$group" 2>/dev/null
left=$1
while [ "$left" -gt 0 ]; do
  sleep 1
  kill -0 -"$group" 2>/dev/null || exit 0
  left=$((left - 1))
done
kill -KILL -"$group" 2>/dev/null`;

export class Guard implements Disposable {
  readonly #shell: ChildProcess;

  /** @param failed called when there is no /bin/sh */
  constructor(killAfterMs: number, failed: (error: Error) => void) {
    const args = ['-c', SCRIPT, 'holdfast-guard', String(Math.ceil(killAfterMs / 1_000))];
    // Nothing of ours but the pipe: whoever reads our output must not wait for the guard.
    this.#shell = spawn('/bin/sh', args, { stdio: ['pipe', 'ignore', 'ignore'], detached: true, cwd: '/' });
    this.#shell.on('error', failed);
    this.#shell.stdin?.on('error', () => {});
    this.#shell.unref();
  }

  /** It stands there before the command does, and is told at once: only a SIGKILL between these two lines of ours would find no guard. */
  watch(group: number): void {
    this.#shell.stdin?.write(`${group}\n`);
  }

  /** Before the pipe closes, so that it never takes our end for a death. */
  [Symbol.dispose](): void {
    this.#shell.kill('SIGKILL');
  }
}
