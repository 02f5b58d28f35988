/* The first-run program: `npm start`. See --help. */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Cleanup } from './cleanup.ts';
import { bad, dim, number } from './paint.ts';
import { UsageError } from './redis-url.ts';
import { broken, type Result } from './result.ts';
import { run } from './run.ts';
import { summaryTable } from './table.ts';
import type { MakeView } from './view.ts';
import { liveView } from './view-live.ts';
import { plainView, silentView } from './view-plain.ts';

const HELP = `Usage: npm start [-- --json | --help]

Shows in about ten seconds what Holdfast does: workers sell a shared stock,
first without a lock, then with one; a holder is killed, another is stopped.

  --json   print one JSON document with what was measured, and nothing else
  --help   print this

It uses the server of REDIS_URL (its own keys only), else it starts a
redis-server or valkey-server from PATH, else a private copy unpacked into
.servers/, else it goes on in memory. NO_COLOR switches colours off.
`;

const NEXT = `Read next, in README.md: "Quick start", "Fencing tokens",
"When not to trust a lock".`;

/** Signals this close to each other are one. */
const TWICE_MS = 500;
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };

const cleanup = new Cleanup();
const ended = whenEnded();
process.exitCode = await main();
await cleanup.run();
process.exit();

async function main(): Promise<number> {
  const options = readOptions();
  if (typeof options === 'number') return options;
  const ran = show(options.json).catch(failed);
  const code = await Promise.race([ran, ended]);
  await cleanup.run();
  return code;
}

/** @returns what to do, or the exit code when there is nothing to do */
function readOptions(): { json: boolean } | number {
  try {
    const options = { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const;
    const { values } = parseArgs({ options });
    if (values.help) process.stdout.write(HELP);
    return values.help ? 0 : { json: values.json ?? false };
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${HELP}`);
    return 2;
  }
}

async function show(json: boolean): Promise<number> {
  const result = await run(json ? silentView : makeView(), cleanup);
  await cleanup.run();
  process.stdout.write(json ? document(result) : ending(result));
  const why = broken(result);
  if (why) process.stderr.write(`${bad('This should not be')}: ${why}.\n`);
  return why ? 1 : 0;
}

/** The live block needs a terminal that can move its cursor, and some room. */
function makeView(): MakeView {
  const { isTTY, columns, rows } = process.stdout;
  return isTTY && process.env.TERM !== 'dumb' && columns >= 60 && rows >= 16 ? liveView : plainView;
}

/** Times to the microsecond: the rest is no measurement. Fencing tokens are whole and too large to calculate with. */
function document(result: Result): string {
  const rounded = (_: string, value: unknown) =>
    typeof value === 'number' && !Number.isInteger(value) ? Number(value.toFixed(3)) : value;
  return `${JSON.stringify(result, rounded, 2)}\n`;
}

function ending(result: Result): string {
  const took = dim(`All of it measured in this run, in ${number(result.tookMs / 1000, 1)} s.`);
  return `\n${summaryTable(result)}\n${took}\n${NEXT}\n`;
}

/** Ctrl-C goes to the server and the workers too, so a failure may only be its first sign. */
async function failed(error: Error): Promise<number> {
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
