import { machineNow } from '@holdfast/example-common';
import type { Round } from '../protocol.ts';
import type { Sale } from '../result.ts';
import { allDo, CURRENCY, PRICE, STOCK, type Stage } from './scene.ts';

/** All workers sell one stock, each as long as it sees something left. The result is what they recorded. */
export async function sellAll(stage: Stage, round: Round): Promise<Sale> {
  const { shop, workers } = stage;
  await shop.open(round, STOCK);
  const startedAt = machineNow();
  await allDo(stage, workers, { do: 'sell', round });
  const tookMs = machineNow() - startedAt;
  const sold = (await shop.sales(round)).length;
  const oversold = Math.max(0, sold - STOCK);
  return { stock: STOCK, sold, oversold, toRefund: oversold * PRICE, currency: CURRENCY, tookMs };
}
