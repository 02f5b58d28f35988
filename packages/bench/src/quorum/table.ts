/** The two tables of the quorum benchmark. */
import type { Alone } from './alone.ts';
import type { Crowded } from './contended.ts';
import type { Result } from './contender.ts';

/** Nobody acquired it: no share of it, no cost of one. */
const fixed = (value: number, digits: number): string =>
  Number.isFinite(value) ? value.toFixed(digits) : '–';
const ms = (value: number): string => value.toFixed(value < 10 ? 1 : 0);

export const aloneTable = (results: readonly Result<Alone>[]): string[] =>
  table(['µs', '/ floor'], results, ({ pairUs, ratio }) => [pairUs.toFixed(0), ratio.toFixed(2)]);

const COLUMNS = [
  'in use',
  'acquired',
  'p50 ms',
  'p99 ms',
  'max ms',
  'Jain',
  'gave up',
  'overlaps',
  'commands',
];

export const contendedTable = (results: readonly Result<Crowded>[]): string[] =>
  table(COLUMNS, results, (one) => [
    `${(one.use * 100).toFixed(1)} %`,
    String(one.acquisitions),
    ms(one.waitMeanMs),
    ms(one.waitP50Ms),
    ms(one.waitP99Ms),
    ms(one.waitMaxMs),
    fixed(one.jain, 2),
    String(one.failures),
    String(one.violations),
    fixed(one.commandsPerAcquisition, 1),
  ]);

function table<T extends object>(
  head: readonly string[],
  results: readonly Result<T>[],
  cells: (figures: T) => string[],
): string[] {
  const width = Math.max(...results.map(({ label }) => label.length));
  const line = (label: string, texts: readonly string[]) =>
    [label.padEnd(width), ...texts.map((text) => text.padStart(9))].join(' ');
  return [
    line('', head),
    ...results.map((one) =>
      'failed' in one
        ? `${one.label.padEnd(width)}   did not run: ${one.failed}`
        : line(one.label, cells(one)),
    ),
  ];
}
