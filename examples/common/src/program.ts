/* The frame of a program for people: --json and --help, one end for every way it can end, and what is printed then. */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Cleanup } from './cleanup.ts';
import { UsageError } from './redis-url.ts';

export interface Program {
  help: string;
  /** Does all of it and prints it. Resolves with the exit code. */
  show(json: boolean, cleanup: Cleanup): Promise<number>;
}

/** Signals this close to each other are one. */
const TWICE_MS = 500;
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };

/** Runs the program and ends the process. */
export async function runProgram(program: Program): Promise<void> {
  const cleanup = new Cleanup();
  process.exitCode = await exitCodeOf(program, cleanup);
  await cleanup.run();
  process.exit();
}

async function exitCodeOf({ help, show }: Program, cleanup: Cleanup): Promise<number> {
  const options = readOptions(help);
  if (typeof options === 'number') return options;
  const ended = whenEnded();
  const ran = show(options.json, cleanup).catch((error: Error) => failed(error, ended, cleanup));
  const code = await Promise.race([ran, ended]);
  await cleanup.run();
  return code;
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
  process.stderr.write(`${error instanceof UsageError ? error.message : `Failed: ${error.message}`}\n`);
  return 1;
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
