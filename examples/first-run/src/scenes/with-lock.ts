import { bad, dim, good, ms, number } from '@holdfast/example-common';
import { countOverlaps, type Hold, handOffTimes, holdsIn, percentile } from '../holds.ts';
import { letters } from '../letters.ts';
import type { LockedSale } from '../result.ts';
import { STOCK, type Stage } from './scene.ts';
import { sellAll } from './selling.ts';

const PER_LINE = 60;

export async function withLock(stage: Stage): Promise<LockedSale> {
  const { view, board, reports } = stage;
  board.begin('with a lock', STOCK);
  view.heading('2  With a lock');
  view.say('   The same code, inside lock.use(...). Every holder in turn:');
  const before = reports.all.length;
  const sale = await sellAll(stage, 'with-lock');
  const holds = holdsIn(reports.all.slice(before));
  const result = { ...sale, ...measured(holds) };
  view.say(...turns(holds), outcome(result), checked(result, holds.length));
  return result;
}

function measured(holds: Hold[]) {
  const times = handOffTimes(holds);
  return {
    handOffs: times.length,
    medianMs: percentile(times, 0.5),
    p99Ms: percentile(times, 0.99),
    overlaps: countOverlaps(holds),
  };
}

/** One letter for each hold. */
function turns(holds: Hold[]): string[] {
  const all = holds.map(({ from }) => from).join('');
  const parts = all.match(new RegExp(`.{1,${PER_LINE}}`, 'g')) ?? [];
  return parts.map((part, i) => `${dim(String(i * PER_LINE + 1).padStart(8))}  ${letters(part)}`);
}

function outcome({ sold, stock, oversold, tookMs }: LockedSale): string {
  const verdict = `oversold by ${oversold}.`;
  const text = `   Sold ${sold} of ${stock} tickets in ${number(tookMs / 1000, 1)} s: `;
  return text + (oversold === 0 ? good(verdict) : bad(verdict));
}

function checked({ handOffs, medianMs, overlaps }: LockedSale, holds: number): string {
  const once = overlaps === 0 ? 'never two at once' : bad(`two at once ${overlaps} times`);
  return `   ${holds} holds, ${once}; ${handOffs} hand-offs, median ${ms(medianMs)}.`;
}
