/** Counts and values in words, the same in the terminal and on the page. */

import { number } from '@holdfast/example-common';
import { EPOCH_MS as T } from '../explore/actor.ts';
import type { ScenarioReport, ShownOrder } from './report.ts';

/** "924 orders, 31 bad", or "12,000 of about 3.2 million orders (0.4 %), 31 bad". */
export function countsOf({ orders, bad, complete, share, scripted, skipped }: ScenarioReport): string {
  if (skipped !== undefined) return 'Not run';
  if (scripted) return 'A script, played once';
  return `${complete ? plural(orders, 'order') : estimate(orders, share)}, ${number(bad)} bad`;
}

/** "4,042 orders in 44 scenarios and 3 scripts". */
export function totalOf(scenarios: readonly ScenarioReport[]): string {
  const explored = scenarios.filter(({ scripted }) => !scripted);
  const orders = explored.reduce((sum, one) => sum + one.orders, 0);
  const scripts = scenarios.length - explored.length;
  return [
    ...(explored.length > 0 ? [`${plural(orders, 'order')} in ${plural(explored.length, 'scenario')}`] : []),
    ...(scripts > 0 ? [plural(scripts, 'script')] : []),
  ].join(' and ');
}

function estimate(orders: number, share: number): string {
  if (share > 0.95) return `${plural(orders, 'order')}, nearly all there are`;
  return `${number(orders)} of about ${rough(orders / share)} orders (${percent(share)})`;
}

/** Whether that is what was expected. */
export function verdictOf({ bad, expects, asExpected, complete, scripted, skipped }: ScenarioReport): string {
  if (skipped !== undefined) return skipped;
  const none = scripted ? 'nothing goes wrong' : complete ? 'no bad order' : 'no bad order seen';
  const found = bad === 0 ? none : scripted ? 'it goes wrong' : 'a bug';
  if (asExpected) return `${found}, as expected`;
  return `${found}, which is NOT as expected: ${expects === 'bug' ? 'there must be a bug' : 'there may be none'}`;
}

/** In which colour a verdict is read: a bug is no good news, even where it was expected. */
export function toneOf({ bad, asExpected, skipped }: ScenarioReport): 'good' | 'found' | 'bad' | 'dim' {
  if (skipped !== undefined) return 'dim';
  if (!asExpected) return 'bad';
  return bad > 0 ? 'found' : 'good';
}

/** What stands over an order that is shown. */
export function shownHeading({ scripted }: ScenarioReport, { why }: ShownOrder): string {
  const what = scripted ? 'What happens' : 'The shortest bad order';
  return why === undefined ? `${what}:` : `${what}: ${why}.`;
}

export function plural(count: number, noun: string): string {
  return `${number(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** An estimate has two digits at most. */
function rough(value: number): string {
  for (const [size, word] of [
    [1e12, 'trillion'],
    [1e9, 'billion'],
    [1e6, 'million'],
  ] as const) {
    if (value >= size * 1e3) return value.toExponential(1);
    if (value >= size) return `${Number((value / size).toPrecision(2))} ${word}`;
  }
  return number(Number(value.toPrecision(2)));
}

function percent(share: number): string {
  const value = share * 100;
  if (value < 0.001) return 'less than 0.001 %';
  return `${Number(value.toPrecision(value < 10 ? 1 : 2))} %`;
}

/** What is near T, when the clocks of an order begin, is shown as T+5: what counts is the difference. */
const NEAR_MS = 1_000_000;
export const ABOUT_T = `T is the time at which the order begins, ${T} ms.`;

function fromT(digits: string): string {
  const ms = Number(digits) - T;
  if (Math.abs(ms) > NEAR_MS) return digits;
  return ms === 0 ? 'T' : `T${ms > 0 ? '+' : '−'}${Math.abs(ms)}`;
}

/** The longest command or value that is shown whole. */
const LONGEST = 160;

/**
 * A command, reply or value for a reader: on one line, without what a terminal would obey, times and hashes of scripts short, and not the whole of a script's text.
 */
export function legible(text: string): string {
  const line = text
    .replace(/\s+/g, ' ')
    .replace(/\p{Cc}|\p{Cf}/gu, '\ufffd')
    .replace(/\b1[67]\d{11}\b/g, fromT)
    .replace(/\b([0-9a-f]{7})[0-9a-f]{33}\b/g, '$1…')
    .trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line;
}

/** Lines of at most so many characters, broken at spaces where there are any. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest.length > width) {
    const space = rest.lastIndexOf(' ', width);
    const end = space > 0 ? space : width;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return [...lines, rest];
}
