/** One end for every way the program can end: done, failed, Ctrl-C (which reaches the servers too), a pipe that nobody reads any more. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Cleanup } from '@holdfast/example-common';

/** Something the user can put right: shown as one sentence. */
export class Complaint extends Error {
  constructor(
    message: string,
    readonly exitCode: number,
  ) {
    super(message);
  }
}

const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };
/** Signals this close to each other are one: npm passes on what the terminal has sent already. */
const TWICE_MS = 500;

/** Runs it, undoes what has to be undone, and ends the process with the exit code. */
export async function runToEnd(main: (cleanup: Cleanup) => Promise<number>): Promise<never> {
  const cleanup = new Cleanup();
  const ended = whenEnded();
  const ran = main(cleanup).catch((error: Error) => failed(error, ended));
  const code = await Promise.race([ran, ended]);
  await cleanup.run();
  process.exit(code);
}

/** A failure may only be the first sign of a Ctrl-C. */
async function failed(error: Error, ended: Promise<number>): Promise<number> {
  const code = await Promise.race([ended, sleep(50, undefined)]);
  if (code !== undefined) return code;
  const known = error instanceof Complaint;
  process.stderr.write(`${known ? error.message : `Failed: ${error.message}`}\n`);
  return known ? error.exitCode : 1;
}

/** The exit code, once somebody ends the run from outside. */
function whenEnded(): Promise<number> {
  return new Promise((resolve) => {
    for (const [signal, code] of Object.entries(EXIT_CODES)) {
      process.once(signal, () => {
        resolve(code);
        atNextSignal(signal, code);
      });
    }
    process.stdout.on('error', () => resolve(141));
  });
}

/** A second Ctrl-C waits for nothing. */
function atNextSignal(signal: string, code: number): void {
  const firstAt = performance.now();
  process.on(signal, () => {
    if (performance.now() - firstAt > TWICE_MS) process.exit(code);
  });
}
