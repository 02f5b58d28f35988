import { bad, number } from '@holdfast/example-common';
import type { Sale } from '../result.ts';
import { STOCK, type Stage } from './scene.ts';
import { sellAll } from './selling.ts';

export async function withoutLock(stage: Stage): Promise<Sale> {
  const { view, board } = stage;
  board.begin('without a lock', STOCK);
  view.heading('1  Without a lock');
  view.say('   Each worker reads the stock, thinks 2 to 5 ms, writes back one less.');
  const sale = await sellAll(stage, 'without-lock');
  view.say(outcome(sale));
  return sale;
}

function outcome({ sold, stock, oversold, tookMs }: Sale): string {
  const text = `   Sold ${sold} of ${stock} tickets in ${number(tookMs / 1000, 1)} s: `;
  if (oversold === 0) return `${text}nothing oversold, by luck this time.`;
  return text + bad(`oversold by ${oversold}.`);
}
