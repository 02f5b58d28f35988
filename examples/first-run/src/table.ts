/* The summary at the end, from what was measured. */

import { bad, good, ms, number } from '@holdfast/example-common';
import Table from 'cli-table3';
import type { Result } from './result.ts';

/** 80 columns with the borders. */
const WIDTHS = [17, 60];

export function summaryTable(result: Result): string {
  const table = new Table({ style: { head: [], border: [] }, colWidths: WIDTHS });
  table.push(
    ['without a lock', withoutLock(result)],
    ['with a lock', withLock(result)],
    ['killed holder', killed(result)],
    ['stopped holder', stopped(result)],
  );
  return table.toString();
}

function withoutLock({ withoutLock: { stock, sold, oversold, toRefund, currency } }: Result): string {
  if (oversold === 0) return `stock ${stock}, sold ${sold}: oversold 0, by luck this time`;
  const lines = [`stock ${stock}, sold ${sold}: ${bad(`oversold ${oversold}`)}`];
  return [...lines, `revenue lost: ${number(toRefund)} ${currency} to pay back`].join('\n');
}

function withLock({ withLock: { stock, sold, oversold, handOffs, medianMs, p99Ms } }: Result): string {
  const verdict = `oversold ${oversold}`;
  return [
    `stock ${stock}, sold ${sold}: ${oversold === 0 ? good(verdict) : bad(verdict)}`,
    `${handOffs} hand-offs, from release until the next one runs:`,
    `median ${ms(medianMs)}, p99 ${ms(p99Ms)}`,
  ].join('\n');
}

function killed({ killed: scene }: Result): string {
  if (!scene) return 'skipped: it takes processes and a server';
  const { ttlMs, nextAfterMs } = scene;
  return `ttl ${ms(ttlMs)}; the next one had the lock after ${good(ms(nextAfterMs))}`;
}

function stopped({ stopped: scene }: Result): string {
  if (!scene) return 'skipped: it takes processes and a server';
  const { refused, token, highest } = scene;
  if (!refused) return bad(`late write NOT refused (token ${token})`);
  return `${good('late write refused')}, its token is older:\n${token} < ${highest}`;
}
