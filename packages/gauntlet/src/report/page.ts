/** The results as a page of `docs/`. */
import type { Ran } from '../run.ts';
import { type Outcome, standingOf } from '../scenarios/scenario.ts';
import { bound, handOver, seconds } from './text.ts';

export interface Head {
  readonly date: string;
  readonly seed: number;
  readonly full: boolean;
  readonly server: string;
  readonly node: string;
  readonly clients: readonly string[];
  readonly cores: number;
  readonly tookMs: number;
}

export function pageOf(head: Head, all: readonly Ran[]): string {
  const parts = all.filter(({ scenario }) => scenario.id !== 'controls').flatMap((ran) => sectionOf(ran));
  const controls = all.filter(({ scenario }) => scenario.id === 'controls').flatMap(controlsOf);
  return `${[...intro(head), ...parts, ...controls].join('\n')}\n`;
}

function intro({ date, seed, full, server, node, clients, cores, tookMs }: Head): string[] {
  return [
    '# The gauntlet: one run',
    '',
    '<!-- Written by npm run gauntlet:full -- --page docs/gauntlet-results.md; do not edit. What is checked, and how: gauntlet.md -->',
    '',
    `${date}, ${full ? 'the full run' : 'the fast run'}, seed ${seed}, ${seconds(tookMs)} on ${cores} cores; ${server}; Node ${node}; ${clients.join(', ')}.`,
    'What is checked, which faults there are and how to read this: [gauntlet](gauntlet.md). "0 of n" proves nothing: with 95 % confidence the true share is at most 3/n.',
    '',
  ];
}

function sectionOf({ scenario, outcomes }: Ran): string[] {
  return [
    `## ${scenario.id}: ${scenario.what}`,
    '',
    '| what | fault | hits | violations | acquired | longest hand-over | |',
    '|---|---|--:|---|--:|--:|---|',
    ...outcomes.flatMap(rowsOf),
    '',
    ...outcomes.flatMap(notesOf),
  ];
}

function rowsOf(outcome: Outcome): string[] {
  return outcome.hits.map((hits, i) => {
    const first = i === 0;
    const cells = [
      first ? outcome.what : '',
      hits.fault,
      String(hits.hits),
      bound(hits, outcome.violations.length),
      first ? String(outcome.acquisitions) : '',
      first ? handOver(outcome) : '',
      first ? standingOf(outcome) : '',
    ];
    return `| ${cells.join(' | ')} |`;
  });
}

function notesOf({ what, notes, explained }: Outcome): string[] {
  const all = [
    ...notes,
    ...(explained > 0 ? [`${explained} overlaps or losses that lost data explain`] : []),
  ];
  return all.length === 0 ? [] : [`${what}: ${all.join('; ')}.`, ''];
}

function controlsOf({ outcomes }: Ran): string[] {
  return [
    '## Controls: wrong locks, which have to be found',
    '',
    '| what | convicted of | times | needed | |',
    '|---|---|--:|--:|---|',
    ...outcomes.flatMap((outcome) =>
      outcome.hits.map(
        ({ fault, hits, wanted }) =>
          `| ${outcome.what} | ${fault} | ${hits} | ${wanted} | ${hits >= wanted ? 'found' : 'NOT FOUND'} |`,
      ),
    ),
    '',
  ];
}
