/** `npm run gauntlet`: faults on purpose, histories checked afterwards, controls that must be found. */
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { findServer } from '@holdfast/testkit';
import { Command, InvalidArgumentError, Option } from 'commander';
import { saying } from './check/violation.ts';
import { type Head, pageOf } from './report/page.ts';
import { tableOf } from './report/table.ts';
import { seconds } from './report/text.ts';
import { type Ran, runAll, standing } from './run.ts';
import { scenarios } from './scenarios/index.ts';
import type { Scenario } from './scenarios/scenario.ts';

interface Options {
  readonly full?: true;
  readonly only: readonly string[];
  readonly seed: number;
  readonly json?: true;
  readonly page?: string;
  readonly list?: true;
}

const CODES = `
Exit code: 0 all held, 1 violated, 2 wrong usage or no server, 3 inconclusive:
a fault hit too seldom, or a control was not found, so that the run says nothing.
It starts servers of its own on free ports of 127.0.0.1. The histories of what was
violated stay in a folder that is named at the end.`;

function whole(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Expected a whole number from 0 to 999999999.');
  return Number(text);
}

const program = new Command('gauntlet')
  .description(
    'Faults on purpose: processes, connections, servers and clocks break, and every history is checked.',
  )
  .option('--full', 'everything, about eight minutes; without it the short form, a minute and a half')
  .addOption(
    new Option('--only <scenario...>', 'some of the scenarios')
      .choices(scenarios.map(({ id }) => id))
      .default([] as string[], 'all'),
  )
  .option('--seed <n>', 'for the schedule of the faults; the same seed gives the same schedule', whole)
  .option('--json', 'print one JSON document, and nothing else')
  .option('--page <file>', 'write the results as Markdown')
  .option('--list', 'say which scenarios there are')
  .addHelpText('after', CODES)
  .showHelpAfterError('(--help says more)')
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));

const options = program.parse().opts<Options>();
const full = options.full === true;
const seed = options.seed ?? Math.floor(Math.random() * 1e9);

function chosen(): Scenario[] {
  if (options.only.length > 0) return scenarios.filter(({ id }) => options.only.includes(id));
  return scenarios.filter(({ onlyFull }) => full || !onlyFull);
}

if (options.list) {
  for (const { id, what, onlyFull } of scenarios)
    console.log(`${id.padEnd(14)} ${what}${onlyFull ? ' (--full only)' : ''}`);
  process.exit(0);
}

const server = await findServer();
if (server === undefined) {
  console.error('There is no redis-server or valkey-server to start: install one, or see CONTRIBUTING.md.');
  process.exit(2);
}

const say = (text: string) => void process.stderr.write(`${text}\n`);
say(`Seed ${seed}; ${server.label}; Node ${process.version}`);
const from = performance.now();
const all = await runAll(chosen(), { full, seed }, say);
const head: Head = {
  date: new Date().toISOString().slice(0, 10),
  seed,
  full,
  server: server.label,
  node: process.version,
  clients: versions(),
  cores: availableParallelism(),
  tookMs: performance.now() - from,
};

function versions(): string[] {
  const require = createRequire(import.meta.url);
  return ['ioredis', 'ioredis6', 'iovalkey', 'redis', 'redis5'].map((name) => {
    const { version, name: real } = require(`${name}/package.json`) as { version: string; name: string };
    return `${real} ${version}`;
  });
}

function tell(ran: readonly Ran[]): void {
  console.log(tableOf(ran));
  for (const { outcomes } of ran)
    for (const { what, violations, folder, notes, explained } of outcomes) {
      for (const one of violations.slice(0, 20)) console.log(`${what}: ${saying(one)}`);
      if (violations.length > 20) console.log(`${what}: and ${violations.length - 20} more`);
      if (folder !== undefined) console.log(`${what}: the histories are in ${folder}`);
      if (notes.length > 0) console.log(`${what}: ${notes.join('; ')}`);
      if (explained > 0) console.log(`${what}: ${explained} overlaps or losses that lost data explain`);
    }
}

const is = standing(all.flatMap(({ outcomes }) => outcomes));
if (options.json) console.log(JSON.stringify({ ...head, standing: is, ran: all }, null, 2));
else {
  tell(all);
  console.log(`\nSeed ${seed}: ${is}, ${seconds(head.tookMs)}`);
}
if (options.page !== undefined) writeFileSync(options.page, pageOf(head, all));
process.exitCode = { held: 0, violated: 1, inconclusive: 3 }[is];
