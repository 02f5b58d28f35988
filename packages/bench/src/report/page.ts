/** `docs/benchmarks.md`, from results. */
import { isMet, type Table } from '../part.ts';
import type { Result } from '../run.ts';
import { aimCells, cellsBehind } from './figures.ts';
import { partLines } from './page-part.ts';

/** Above it somebody else was at work too. */
const QUIET_LOAD = 1;

export function pageOf(results: readonly Result[]): string {
  const parts = results.flatMap((result) => result.parts);
  const tables = parts.flatMap((part) => part.tables);
  const lines = [
    ...INTRO,
    ...measuredLines(results),
    ...missedLines(tables),
    ...behindLines(tables),
    ...parts.flatMap(partLines),
  ];
  return `${lines.join('\n')}\n`;
}

const INTRO = [
  '# Benchmarks',
  '',
  '<!-- Written by npm run bench -- --save from packages/bench/results; do not edit. What was learned on the way: benchmark-profiles.md -->',
  '',
  '```sh',
  'npm run bench                             # everything, less than fifteen minutes',
  'npm run bench -- --quick                  # a smoke run of less than a minute; its figures are noise',
  'npm run bench -- --only hot-lock          # one part; --list has them, --json is for scripts',
  'npm run bench -- --save                   # everything, kept in packages/bench/results, and this page written anew',
  'npm run bench -- --only hot-lock --save   # the same for one part; the others stay as they were',
  '```',
  '',
  'Holdfast beside the bare commands that Redis documents for a lock (`SET NX PX`, and a compare-and-delete script: the floor) and beside other libraries, each at its defaults and, where somebody waits, at its best documented settings. Everything in interleaved rounds, medians.',
  'Absolute times on another machine mean little; compare rows, not pages. Nothing in the tests asserts a time. What the profiles showed, and what was tried: [benchmark profiles](benchmark-profiles.md).',
  '',
];

/** A line for each day, machine and set of versions. */
function measuredLines(results: readonly Result[]): string[] {
  const byRun = new Map<string, Result[]>();
  for (const result of results) {
    const said = measuredOf(result);
    byRun.set(said, [...(byRun.get(said) ?? []), result]);
  }
  return [...byRun].flatMap(([said, own]) => {
    const ids = own.flatMap(({ parts }) => parts.map(({ id }) => id));
    return [`Measured ${byRun.size === 1 ? '' : `(${ids.join(', ')}) `}${said}`, ''];
  });
}

function measuredOf({ date, quick, load, machine }: Result): string {
  const { server, node, cores, cpu, memoryGb, os, versions } = machine;
  const used = Object.entries(versions)
    .filter(([name]) => name !== 'holdfast')
    .map(([name, version]) => `${name.replace(/\d$/, '')} ${version}`);
  const noise = [
    quick && ' **A quick run: noise.**',
    load > QUIET_LOAD &&
      ` **The machine was at work for others too (load ${load} before it began): provisional.**`,
  ];
  return `${date}: ${cores} cores (${cpu}) for servers and programs together, ${memoryGb} GB, ${os}, ${server}, Node ${node}, loopback; ${used.join(', ')}.${noise.filter(Boolean).join('')}`;
}

function missedLines(tables: readonly Table[]): string[] {
  const aims = tables.flatMap((table) => table.aims);
  const missed = aims.filter((aim) => isMet(aim) === false);
  if (missed.length === 0) return ['## Aims', '', `All ${aims.length} aims were reached.`, ''];
  return [
    '## Aims that were missed',
    '',
    `${missed.length} of ${aims.length}:`,
    '',
    '| what | reached | aim |',
    '|---|--:|--:|',
    ...missed.map((aim) => `| ${aimCells(aim).join(' | ')} |`),
    '',
  ];
}

function behindLines(tables: readonly Table[]): string[] {
  const behind = tables.flatMap(cellsBehind);
  if (behind.length === 0) return ['## Where a rival is ahead', '', 'Nowhere in this run.', ''];
  return [
    '## Where a rival is ahead',
    '',
    'By more than 2 %; the best rival of each column:',
    '',
    '| where | figure | Holdfast | the rival | who |',
    '|---|---|--:|--:|---|',
    ...behind.map(
      ({ table, column, ours, theirs, who }) => `| ${table} | ${column} | ${ours} | ${theirs} | ${who} |`,
    ),
    '',
  ];
}
