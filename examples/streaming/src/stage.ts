/* What every scene has at hand. */
import type { Member, ReportOf, Reports, Story } from '@holdfast/example-common';
import { eventually, type TcpProxy } from '@holdfast/testkit';
import type { Semaphore } from 'holdfast';
import type { PriceServer } from './price-server.ts';
import type { Order, Report } from './protocol.ts';

export interface Stage {
  readonly members: ReadonlyMap<string, Member<Order, Report>>;
  readonly reports: Reports<Report>;
  readonly server: PriceServer;
  /** In front of Redis, for the one subscriber that will be cut off. */
  readonly proxy: TcpProxy;
  /** Used here for looking only, until the end. */
  readonly seats: Semaphore;
  /** Of every lease. */
  readonly ttlMs: number;
  readonly story: Story;
  /** Who asks for a seat is noted here. */
  readonly asked: string[];
}

export function member({ members }: Stage, name: string): Member<Order, Report> {
  const found = members.get(name);
  if (!found) throw new Error(`there is no subscriber ${name}`);
  return found;
}

/** What comes of asking for a seat. */
export interface Visit {
  readonly name: string;
  readonly seated: Promise<ReportOf<Report, 'seated'>>;
  readonly listening: Promise<ReportOf<Report, 'listening'>>;
}

export function subscribe(stage: Stage, name: string): Visit {
  const seated = stage.reports.until('seated', name);
  const listening = stage.reports.until('listening', name);
  stage.asked.push(name);
  member(stage, name).send({ do: 'subscribe' });
  return { name, seated, listening };
}

/** Asks, and is in the queue behind those who asked before. */
export async function queueUp(stage: Stage, name: string): Promise<Visit> {
  const { queueLength } = await stage.seats.inspect();
  const visit = subscribe(stage, name);
  const queued = async () => (await stage.seats.inspect()).queueLength > queueLength;
  await eventually(queued, { withinMs: 20_000, everyMs: 5, what: `${name} in the queue` });
  return visit;
}

/** Ends its connection and gives its seat back. */
export async function leave(stage: Stage, name: string): Promise<ReportOf<Report, 'closed'>> {
  const closed = stage.reports.until('closed', name);
  const done = stage.reports.until('done', name);
  member(stage, name).send({ do: 'leave' });
  await done;
  return closed;
}
