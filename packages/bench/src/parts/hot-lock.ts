/** One hot lock: workers in several processes take it, hold it, give it back, again and again. */
import { startServer } from '@holdfast/testkit';
import {
  type Aim,
  aim,
  aimAtLeast,
  bestRival,
  figureOf,
  type Part,
  type Row,
  type Table,
  toBestRival,
} from '../part.ts';
import { TTL_MS } from '../rivals/contender.ts';
import { waiting } from '../rivals/index.ts';
import { CROWD_COLUMNS, CROWD_NOTE, crowdRows } from './crowd-table.ts';

const PROCESSES = 4;
const WORKERS = 5;
/** Long enough for every worker to get it several times. */
const HOLDS = [
  { holdMs: 0, runMs: 800, rounds: 3 },
  { holdMs: 2, runMs: 1_000, rounds: 3 },
  { holdMs: 20, runMs: 2_200, rounds: 2 },
];
const FAIR = 0.99;
const QUICK = ['polling', 'holdfast', 'redlock-universal'];

/** What is not held at all is not in use: there the grants are counted. */
const measureOf = (holdMs: number) =>
  holdMs === 0 ? { id: 'perSecond', label: 'grants per second' } : { id: 'use', label: 'use of the lock' };

function aheadAims(holdMs: number, rows: readonly Row[]): Aim[] {
  const { id, label } = measureOf(holdMs);
  const ahead = bestRival(rows, id, 'more');
  const fair = rows.filter(({ role, figures }) => role !== 'rival' || (figures.jain ?? 0) >= FAIR);
  const named = `held ${holdMs} ms: ${label}`;
  const who = ahead && ` (${ahead.row.label}, Jain ${(ahead.row.figures.jain ?? 0).toFixed(2)})`;
  return [
    aimAtLeast(`${named} / best rival${who ?? ''}`, toBestRival(rows, id, 'more'), 1),
    aimAtLeast(`${named} / best rival with Jain ≥ ${FAIR}`, toBestRival(fair, id, 'more'), 1),
  ];
}

function tableOf(holdMs: number, rows: Row[]): Table {
  const of = (column: string) => figureOf(rows, 'holdfast', column);
  const named = `held ${holdMs} ms`;
  return {
    id: `hot-lock-${holdMs}`,
    title: `One lock, ${PROCESSES} processes × ${WORKERS} workers, ${named}`,
    columns: CROWD_COLUMNS.filter(({ id }) => id !== 'use' || holdMs > 0),
    rows,
    aims: [
      ...aheadAims(holdMs, rows),
      aimAtLeast(`${named}: Jain fairness`, of('jain'), FAIR, ''),
      // A tenth: whose acquire lies in the window and whose release does not is worth a hundredth.
      aim(`${named}: commands per acquisition`, Math.round(of('commands') * 10) / 10, 2, ''),
      aim(`${named}: p99 wait / median wait`, of('p99') / of('p50'), 1.5),
    ],
    notes: [CROWD_NOTE],
    chart: measureOf(holdMs).id,
  };
}

export const hotLock: Part = {
  id: 'hot-lock',
  what: `one hot lock, ${PROCESSES} processes × ${WORKERS} workers, held ${HOLDS.map(({ holdMs }) => holdMs).join(', ')} ms`,
  async run({ quick, progress }) {
    await using server = await startServer();
    const tables: Table[] = [];
    for (const { holdMs, runMs, rounds } of quick ? HOLDS.slice(1, 2) : HOLDS) {
      const crowd = {
        kind: 'lock',
        processes: quick ? 2 : PROCESSES,
        workers: WORKERS,
        holdMs,
        warmUpMs: quick ? 150 : 300,
        runMs: quick ? 200 : runMs,
        ttlMs: TTL_MS,
        limit: 1,
      } as const;
      const chosen = waiting.filter(({ id }) => !quick || QUICK.includes(id));
      tables.push(tableOf(holdMs, await crowdRows(chosen, [server], crowd, quick ? 1 : rounds, progress)));
    }
    return tables;
  },
};
