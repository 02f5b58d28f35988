import { startServer, startWorker } from '@holdfast/testkit';
import { next } from '../../crowd/crowd.ts';
import { aim, aimAtLeast, figureOf, type Row, rowOf, type Settings, type Table } from '../../part.ts';
import { type Contender, messageOf } from '../../rivals/contender.ts';
import { contenderOf } from '../../rivals/index.ts';
import type { Assignment, Renewed } from './renewals-worker.ts';

const SCRIPT = new URL('../../../dist/parts/growth/renewals-worker.js', import.meta.url);
/** Those that renew in the background by themselves, without a call around the work. */
const RENEWING = ['holdfast', 'redis-semaphore', 'node-redisson'];

async function renew(port: number, contender: Contender, leases: number, quick: boolean): Promise<Renewed> {
  const times = quick ? { ttlMs: 600, runMs: 700 } : { ttlMs: 4_500, runMs: 5_000 };
  const ASSIGNMENT = JSON.stringify({
    port,
    contender: contender.id,
    leases,
    ...times,
  } satisfies Assignment);
  await using worker = await startWorker(SCRIPT, { env: { ASSIGNMENT } });
  return (await next(worker, 'done', times.runMs + 30_000)) as Renewed;
}

export async function renewalsTable({ quick, progress }: Settings): Promise<Table> {
  const sizes = quick ? [10, 200] : [10, 100, 1_000, 10_000];
  await using server = await startServer();
  const rows: Row[] = [];
  for (const contender of (quick ? RENEWING.slice(0, 2) : RENEWING).map(contenderOf)) {
    for (const size of sizes) {
      if (contender.role === 'rival' && size === 100) continue;
      progress(`${contender.label}, ${size} leases renewed`);
      rows.push(await rowFor(server.port, contender, size, quick));
    }
  }
  const of = (size: number, column = 'perTurn') => figureOf(rows, `holdfast-${size}`, column);
  const [least = 0, most = 0] = [sizes[0], sizes.at(-1)];
  const compared = sizes.filter((size) => size >= 100);
  return {
    id: 'growth-renewals',
    title: 'Leases held and renewed by one process',
    columns: [
      { id: 'perTurn', label: 'renewals per round trip', digits: 1 },
      { id: 'perWrite', label: 'renewals per write', digits: 1 },
      { id: 'clientUs', label: 'client CPU per renewal, µs', digits: 1 },
      { id: 'lateMs', label: 'longest stall of the event loop, ms', digits: 0 },
    ],
    rows,
    aims: [
      ...compared.map((size) =>
        aimAtLeast(`${size.toLocaleString('en-US')} leases: renewals per round trip`, of(size), 100, ''),
      ),
      aim(
        `client CPU per renewal, leases of a process: ${most.toLocaleString('en-US')} / ${least}`,
        of(most, 'clientUs') / of(least, 'clientUs'),
        1.5,
      ),
    ],
    notes: [
      'What is written in one turn of the event loop is at most one round trip; Holdfast sends the first renewal of a turn at once, and the others of it a hundred in a script call. All leases were taken at about the same time. The others renew each lease by itself; redlock 5 and redlock-universal renew only around a function (`using`), and are left out here.',
    ],
  };
}

async function rowFor(port: number, contender: Contender, size: number, quick: boolean): Promise<Row> {
  const is = {
    ...contender,
    id: `${contender.id}-${size}`,
    label: `${contender.label}, ${size.toLocaleString('en-US')} leases`,
  };
  try {
    const { renewals, writes, turns, cpuUs, stallMs } = await renew(port, contender, size, quick);
    const word = renewals < size ? `only ${renewals} renewals` : undefined;
    const figures = {
      perTurn: renewals / turns,
      perWrite: renewals / writes,
      clientUs: cpuUs / renewals,
      lateMs: stallMs,
    };
    return rowOf(is, figures, word);
  } catch (error) {
    return rowOf(is, {}, `did not run: ${messageOf(error)}`);
  }
}
