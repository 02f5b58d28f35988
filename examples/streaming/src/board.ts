/* For a terminal: who sits where at this moment. */
import { dim, good, machineNow, number, paint } from '@holdfast/example-common';
import type { Connection, Judge } from './judge.ts';
import { type Report, SEATS } from './protocol.ts';

export class Board {
  ttlMs = 1;
  /** In the order in which they had asked. */
  readonly asked: string[] = [];
  /** In the order in which they got a seat. */
  readonly seated: string[] = [];

  see(report: Report): void {
    if (report.is === 'seated') this.seated.push(report.from);
  }

  block(judge: Judge): string[] {
    const open = judge.open;
    const seats = Array.from({ length: SEATS.limit }, (_, seat) => seat);
    const waiting = this.asked.slice(this.seated.length).join(' ') || '-';
    return [
      ...seats.map((seat) => seatLine(seat, open, this.ttlMs)),
      `  waiting  ${paint('yellow', waiting)}`,
      `  ${open.length} connections, never more than ${judge.maxOpen}`,
    ];
  }
}

function seatLine(seat: number, open: readonly Connection[], ttlMs: number): string {
  const here = open.find((connection) => connection.seat === seat);
  if (!here) return `  seat ${seat}   ${dim('free')}`;
  const ttls = (machineNow() - here.openedAt) / ttlMs;
  const length = `${number(ttls, 1).padStart(5)} ttls ${String(here.sent).padStart(5)} prices `;
  return `  seat ${seat}   ${good(here.subscriber)} ${length}${paint('cyan', '▪'.repeat(Math.round(ttls * 2)))}`;
}
