/* The summary at the end, from what was measured. */
import { bad, good, ms, number } from '@holdfast/example-common';
import Table from 'cli-table3';
import type { Result } from './result.ts';

/** 80 columns with the borders. */
const WIDTHS = [17, 60];

export function summaryTable(result: Result): string {
  const table = new Table({ style: { head: [], border: [] }, colWidths: WIDTHS });
  table.push(
    ['connections', connections(result)],
    ['one leaves', handedOver(result)],
    ['cut off', cutOff(result)],
    ['killed', killed(result)],
    ['one stays', kept(result)],
    ['at the end', end(result)],
  );
  return table.toString();
}

function connections({ seats, subscribers, connections: { maxOpen, total } }: Result): string {
  const verdict = `never more than ${maxOpen} at once`;
  const paint = maxOpen <= seats ? good : bad;
  return `${subscribers} subscribers, ${seats} seats, ${total} connections:\n${paint(verdict)}, as the stream's server counted`;
}

function handedOver({ handedOver: { nextAfterMs }, returned }: Result): string {
  const times = `${good(ms(nextAfterMs))} and ${good(ms(returned.nextAfterMs))}`;
  return `the next one had the seat after ${times}`;
}

function cutOff({ cutOff: { leaseEndsAfterMs, toldAfterMs, closedAfterMs, nextAfterMs } }: Result): string {
  return [
    `its lease ended after ${ms(leaseEndsAfterMs)}, told after ${good(ms(toldAfterMs))},`,
    `gone after ${good(ms(closedAfterMs))}, the next one seated after ${ms(nextAfterMs)}`,
  ].join('\n');
}

function killed({ killed: { nextAfterMs }, ttlMs }: Result): string {
  return `ttl ${ms(ttlMs)}; the next one had the seat after ${good(ms(nextAfterMs))}`;
}

function kept({ kept: { ttls, renewals, sameToken, events, missed } }: Result): string {
  const verdict = sameToken ? good('one lease') : bad('more than one lease');
  return [
    `${verdict} for ${number(ttls, 1)} ttls, ${renewals} renewals`,
    `${events} prices received, ${missed} missed`,
  ].join('\n');
}

function end({ end: { held, waiting, allAtOnce }, seats }: Result): string {
  const all = allAtOnce ? good(`all ${seats} at once`) : bad(`not all ${seats} at once`);
  return `${held} held, ${waiting} waiting; then ${all} by one call`;
}
