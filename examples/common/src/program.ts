/* The frame of a program for people: --json and --help, one end for every way it can end, and what is printed then. */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Cleanup } from './cleanup.ts';
import { bad, dim, number } from './paint.ts';
import { UsageError } from './redis-url.ts';

export interface Program<R extends { tookMs: number }> {
  help: string;
  run(json: boolean, cleanup: Cleanup): Promise<R>;
  /** What people see of the result, at the end. */
  summary(result: R): string;
  /** What must not have happened, if it did. */
  broken(result: R): string | undefined;
  /** What to read next. */
  next: string;
}

/** Signals this close to each other are one. */
const TWICE_MS = 500;
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };

/** Runs the program and ends the process. */
export async function runProgram<R extends { tookMs: number }>(program: Program<R>): Promise<void> {
  const options = readOptions(program.help);
  await runToEnd(async (cleanup) =>
    typeof options === 'number' ? options : await show(program, options.json, cleanup),
  );
}

async function show<R extends { tookMs: number }>(
  program: Program<R>,
  json: boolean,
  cleanup: Cleanup,
): Promise<number> {
  const result = await program.run(json, cleanup);
  await cleanup.run();
  process.stdout.write(json ? jsonDocument(result) : ending(program, result));
  const why = program.broken(result);
  if (why) process.stderr.write(`${bad('This should not be')}: ${why}.\n`);
  return why ? 1 : 0;
}

function ending<R extends { tookMs: number }>({ summary, next }: Program<R>, result: R): string {
  const took = dim(`All of it measured in this run, in ${number(result.tookMs / 1000, 1)} s.`);
  return `\n${summary(result)}\n${took}\n${next}\n`;
}

/** Runs `main`, undoes what has to be undone, and ends the process: done, failed, Ctrl-C, or a pipe that nobody reads any more. */
export async function runToEnd(main: (cleanup: Cleanup) => Promise<number>): Promise<never> {
  const cleanup = new Cleanup();
  const ended = whenEnded();
  const ran = main(cleanup).catch((error: Error) => failed(error, ended, cleanup));
  const code = await Promise.race([ran, ended]);
  await cleanup.run();
  process.exit(code);
}

/** @returns what to do, or the exit code when there is nothing to do */
function readOptions(help: string): { json: boolean } | number {
  try {
    const options = { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const;
    const { values } = parseArgs({ options });
    if (values.help) process.stdout.write(help);
    return values.help ? 0 : { json: values.json ?? false };
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${help}`);
    return 2;
  }
}

/** One JSON document. Times to the microsecond: the rest is no measurement. Fencing tokens are whole and too large to calculate with. */
export function jsonDocument(result: object): string {
  const rounded = (_: string, value: unknown) =>
    typeof value === 'number' && !Number.isInteger(value) ? Number(value.toFixed(3)) : value;
  return `${JSON.stringify(result, rounded, 2)}\n`;
}

/** Ctrl-C goes to the server and the workers too, so a failure may only be its first sign. */
async function failed(error: Error, ended: Promise<number>, cleanup: Cleanup): Promise<number> {
  const code = await Promise.race([ended, sleep(50, undefined)]);
  if (code !== undefined) return code;
  await cleanup.run();
  const known = error instanceof UsageError;
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

/** A second Ctrl-C does not wait for anything. Under npm the first one arrives twice: from the terminal and from npm. */
function atNextSignal(signal: string, code: number): void {
  const firstAt = performance.now();
  process.on(signal, () => {
    if (performance.now() - firstAt > TWICE_MS) process.exit(code);
  });
}
