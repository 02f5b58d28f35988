import { startServer } from '@holdfast/testkit';
import { type Crowd, type Crowded, type Tried, tryCrowd } from '../../crowd/crowd.ts';
import { type Row, rowOf, type Settings, type Table } from '../../part.ts';
import type { Contender } from '../../rivals/contender.ts';
import { atTheirBest } from '../../rivals/index.ts';
import { median } from '../../stats.ts';
import { flat, sizeColumn } from './sizes.ts';

/** What polls asks so often with more that it would measure nothing but itself. */
const MOST_OF_A_RIVAL = 1_000;
/** So many join in one ms at least. */
const JOIN_PER_MS = 2;

/** All in one process: each takes the lock, gives it back at once, and stands at the end again. */
const crowdOf = (workers: number, quick: boolean): Crowd => ({
  kind: 'lock',
  processes: 1,
  workers,
  holdMs: 0,
  warmUpMs: (quick ? 100 : 400) + workers / JOIN_PER_MS,
  runMs: quick ? 150 : 1_200,
  ttlMs: 60_000,
  limit: 1,
});

interface Seen {
  readonly contender: Contender;
  readonly size: number;
  readonly tried: Tried<Crowded>;
}

export async function waitersTables({ quick, progress }: Settings): Promise<Table[]> {
  const sizes = quick ? [10, 100] : [10, 100, 1_000, 10_000];
  const contenders = atTheirBest.filter(({ role }) => role === 'holdfast' || (role === 'rival' && !quick));
  const seen: Seen[] = [];
  await using server = await startServer();
  for (let round = 0; round < (quick ? 1 : 3); round++)
    for (const contender of contenders)
      for (const size of sizes) {
        if (contender.role === 'rival' && (round > 0 || size > MOST_OF_A_RIVAL || size === 100)) continue;
        progress(`${contender.label}, ${size} waiters`);
        const tried = await tryCrowd(contender, [server], crowdOf(size, quick));
        seen.push({ contender, size, tried });
      }
  return [serverTable(contenders, seen, sizes), timeTable(contenders, seen, sizes)];
}

function serverTable(contenders: readonly Contender[], seen: readonly Seen[], sizes: number[]): Table {
  const rows = rowsOf(contenders, seen, sizes, ({ serverUs }) => serverUs);
  return {
    id: 'growth-waiters',
    title: 'Server CPU of one acquire + release in µs, by the number of waiters for one lock',
    columns: sizes.map((size) => sizeColumn(size, 0)),
    rows,
    aims: [flat('server CPU per hand-over, waiters', rows, sizes)],
    notes: [
      `All waiters in one process, the lock given back at once. Rivals at their best settings and up to ${MOST_OF_A_RIVAL.toLocaleString('en-US')}: they poll, or all ask again at each release.`,
    ],
  };
}

function timeTable(contenders: readonly Contender[], seen: readonly Seen[], sizes: number[]): Table {
  const rows = rowsOf(contenders, seen, sizes, ({ perSecond }) => 1e6 / perSecond);
  return {
    id: 'growth-waiters-time',
    title: 'From one grant to the next in µs, by the number of waiters for one lock',
    columns: sizes.map((size) => sizeColumn(size, 0)),
    rows,
    aims: [flat('time of a hand-over, waiters', rows, sizes)],
    notes: [],
  };
}

function rowsOf(
  contenders: readonly Contender[],
  seen: readonly Seen[],
  sizes: readonly number[],
  figureOf: (crowded: Crowded) => number,
): Row[] {
  return contenders.map((contender): Row => {
    const own = seen.filter((one) => one.contender === contender);
    const of = (size: number) =>
      own.flatMap((one) => (one.size === size && 'seen' in one.tried ? [figureOf(one.tried.seen)] : []));
    const figures = Object.fromEntries(sizes.map((size) => [size, median(of(size))]));
    const words = own.flatMap(({ size, tried }) => {
      if ('failed' in tried) return [`${size} waiters: ${tried.failed}`];
      return tried.seen.acquisitions === 0 ? [`${size} waiters: no grant while it was measured`] : [];
    });
    return rowOf(contender, figures, words[0]);
  });
}
