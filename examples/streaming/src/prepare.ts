/* What the scenes need: subscriber processes, and a proxy before Redis for one of them. */
import { type Cleanup, Member, machineNow, type Place, Reports, type Story } from '@holdfast/example-common';
import { startProxy, type TcpProxy } from '@holdfast/testkit';
import { Holdfast } from 'holdfast';
import type { Board } from './board.ts';
import type { PriceServer } from './price-server.ts';
import { NAMES, type Order, type Report, SEATS } from './protocol.ts';
import type { Stage } from './stage.ts';

/** The one behind the proxy. */
export const CUT_OFF = 'B';

interface Parts {
  place: Place;
  board: Board;
  server: PriceServer;
  story: Story;
  cleanup: Cleanup;
}

/** Short, so that a dead subscriber is not waited for long. Who is not run for two thirds of it loses its seat: */
export const TTL_MS = 1_000;
/** so it is longer where it took long to start everybody, since this machine has other things to do. */
const BUSY = { startMs: 2_500, ttlMs: 3_000 };

/** @returns when every subscriber is ready, and none has asked for a seat */
export async function prepare({ place, board, server, story, cleanup }: Parts): Promise<Stage> {
  const { redis, prefix } = place;
  const proxy = await proxyBefore(place);
  cleanup.add(() => proxy.shutdown());
  const reports: Reports<Report> = new Reports((report) => {
    board.see(report);
    const isCutOff = report.from === CUT_OFF && proxy.stats.droppedUpBytes > 0;
    if (report.is === 'told' && !isCutOff) reports.fail(starved(report.from));
  });
  const members = hire(reports, cleanup);
  const ttlMs = await whenStarted(members, reports);
  board.ttlMs = ttlMs;
  const ready = NAMES.map((name) => reports.until('ready', name));
  for (const [name, member] of members) {
    const way = name === CUT_OFF ? throughProxy(place, proxy) : { url: place.url, servername: undefined };
    member.send({ do: 'open', ...way, ttlMs, prefix, stream: server.url });
  }
  await Promise.all(ready);
  const holdfast = new Holdfast(redis, { prefix, label: 'the program' });
  cleanup.add(() => holdfast.close());
  const seats = holdfast.semaphore(SEATS.name, { limit: SEATS.limit, ttlMs, slots: true });
  return { members, reports, server, proxy, seats, ttlMs, story, asked: board.asked };
}

function hire(reports: Reports<Report>, cleanup: Cleanup): Stage['members'] {
  const script = new URL('./subscriber-worker.js', import.meta.url);
  const all = NAMES.map((name) => new Member<Order, Report>(name, script, reports));
  cleanup.add(() => Promise.all(all.map((one) => one.kill())));
  return new Map(all.map((one) => [one.name, one]));
}

/** @returns the ttl that this machine is fast enough for */
async function whenStarted(members: Stage['members'], reports: Reports<Report>): Promise<number> {
  const beganAt = machineNow();
  await Promise.all([...members.keys()].map((name) => reports.until('started', name)));
  return machineNow() - beganAt < BUSY.startMs ? TTL_MS : BUSY.ttlMs;
}

/** The library is right to take its seat: it cannot tell a starved process from a dead one. */
function starved(name: string): Error {
  return new Error(
    `${name} lost its seat: no renewal got through in time; is the server gone, or this machine too busy?`,
  );
}

function proxyBefore({ url }: Place): Promise<TcpProxy> {
  const { hostname, port } = new URL(url);
  return startProxy({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 6379) });
}

function throughProxy({ url }: Place, { port }: TcpProxy): { url: string; servername: string | undefined } {
  const address = new URL(url);
  const servername = address.protocol === 'rediss:' ? address.hostname : undefined;
  address.hostname = '127.0.0.1';
  address.port = String(port);
  return { url: address.href, servername };
}
