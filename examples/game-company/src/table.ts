/* The summary at the end, from what was measured. */
import { bad, good, ms, number } from '@holdfast/example-common';
import Table from 'cli-table3';
import type { Ending, Guarded, Judged, Killed, Result } from './result.ts';
import { LIMIT } from './rules.ts';

/** 80 columns with the borders. */
const WIDTHS = [21, 56];

export function summaryTable({ withoutSemaphore, withSemaphore, killed, ending }: Result): string {
  const table = new Table({ style: { head: [], border: [] }, colWidths: WIDTHS });
  table.push(
    ['without a semaphore', judgedCell(withoutSemaphore)],
    ['with a semaphore', guardedCell(withSemaphore)],
    ['killed process', killedCell(killed)],
    ['at the end', endingCell(ending)],
  );
  return table.toString();
}

function judgedCell({ calls, refused, highest, acceptedPerSecond }: Judged): string {
  const paint = highest > LIMIT ? bad : good;
  return [
    paint(`up to ${highest} calls at once on one account, allowed ${LIMIT}`),
    `${number(calls)} calls, ${refused > 0 ? bad(`${number(refused)} refused`) : 'none refused'}`,
    `${number(acceptedPerSecond)} calls/s went through`,
  ].join('\n');
}

function guardedCell(guarded: Guarded): string {
  const { busy, busyMedianMs, busyP99Ms } = guarded;
  return [
    judgedCell(guarded),
    `${number(busy)} times "busy", told after`,
    `median ${ms(busyMedianMs)}, p99 ${ms(busyP99Ms)}`,
  ].join('\n');
}

function killedCell({ ttlMs, dead, highest, callsMeanwhile, brokenOff }: Killed): string {
  const seats = dead.reduce((sum, each) => sum + each.seats, 0);
  const last = Math.max(0, ...dead.map(({ backAfterMs }) => backAfterMs));
  const paint = highest > LIMIT ? bad : good;
  const broke = brokenOff > 0 ? ` (${brokenOff} broke off)` : '';
  return [
    `ttl ${ms(ttlMs)}; its ${seats} seats were back after ${good(ms(last))}`,
    `the others made ${number(callsMeanwhile)} calls meanwhile${broke}`,
    paint(`up to ${highest} calls at once on one account`),
  ].join('\n');
}

function endingCell({ accounts, held, acquirable }: Ending): string {
  const paint = held === 0 && acquirable === accounts ? good : bad;
  return paint(`held ${held}; all ${LIMIT} to be had: ${acquirable} of ${accounts} accounts`);
}
