/** `npm run bench`: Holdfast beside the bare commands and every rival. It prints what was reached beside what was aimed at, and never fails on a time. */
import { Command, Option } from 'commander';
import { noteUnhandled } from './bounded.ts';
import { PART_IDS, parts } from './parts/index.ts';
import { save } from './report/save.ts';
import { textOf } from './report/text.ts';
import { runParts } from './run.ts';

interface Options {
  readonly quick?: true;
  readonly json?: true;
  readonly save?: true;
  readonly list?: true;
  readonly only: readonly string[];
}

const CODES = `
Exit code: 0 measured, 1 a part broke down, 2 wrong usage. No figure changes it.
It starts servers of its own on free ports of 127.0.0.1.`;

const collect = (value: string, all: readonly string[]): string[] => [...all, value];

const program = new Command('bench')
  .description(
    'Measures Holdfast beside the bare commands and other libraries, in one run: less than fifteen minutes.',
  )
  .addOption(
    new Option('--only <part>', 'one part; may be given several times (--list has them)')
      .argParser(collect)
      .default([] as string[], 'all'),
  )
  .option('--quick', 'a smoke run of less than a minute; its figures are noise')
  .option('--json', 'print one JSON document, and nothing else')
  .option('--save', 'keep the results of these parts in packages/bench/results, and write docs/benchmarks.md')
  .option('--list', 'say which parts there are')
  .addHelpText('after', CODES)
  .showHelpAfterError('(--help says more)')
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));

const options = program.parse().opts<Options>();
const unknown = options.only.find((id) => !PART_IDS.includes(id));
if (unknown !== undefined) program.error(`--only: expected one of ${PART_IDS.join(', ')}, got ${unknown}`);
if (options.save && options.quick) program.error('--save: a quick run is noise, and not kept');

if (options.list) {
  for (const { id, what } of parts) console.log(`${id.padEnd(12)} ${what}`);
  process.exit();
}

const startedAt = performance.now();
/** As m:ss. */
function sinceStart(): string {
  const seconds = Math.floor((performance.now() - startedAt) / 1_000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

noteUnhandled();
const chosen = parts.filter(({ id }) => options.only.length === 0 || options.only.includes(id));
const progress = (text: string) => void process.stderr.write(`${sinceStart()} ${text} …\n`);
const result = await runParts(chosen, { quick: options.quick === true, progress }, (part) => {
  if (options.save) save(part, PART_IDS);
});
console.log(options.json ? JSON.stringify(result, null, 2) : textOf(result));
if (options.save)
  process.stderr.write('written: packages/bench/results, docs/benchmarks.md, docs/benchmarks/\n');
// What a rival left open shall not keep the run from ending.
process.exit(result.parts.some(({ failed }) => failed !== undefined) ? 1 : 0);
