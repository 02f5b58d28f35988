/** `holdfast-lab run`. */
import { type Cleanup, jsonDocument } from '@holdfast/example-common';
import { page } from '../report/page.ts';
import { unexpected } from '../report/report.ts';
import { chooseSteps } from './choose.ts';
import { exploreSteps } from './explore-steps.ts';
import { checkHtmlFile, writeHtmlFile } from './html-file.ts';
import { marketJson, marketText, measureMarket } from './market.ts';
import type { RunOptions } from './options.ts';
import type { Lab } from './program.ts';
import { runSummary } from './run-summary.ts';

export const ORDERS_OF_SOME = 2_000;
/** All steps together end within 90 s, on a slow machine too. */
export const ORDERS_OF_ALL = 1_500;

/** Resolves with the exit code: 1 when something was found, or not found, that should not be so. */
export async function runCommand(
  { steps, market }: Lab,
  names: readonly string[],
  options: RunOptions,
  cleanup: Cleanup,
): Promise<number> {
  const chosen = chooseSteps(steps, names);
  checkHtmlFile(options.html);
  const ordersByDefault =
    chosen.length > 1 && chosen.length === steps.length ? ORDERS_OF_ALL : ORDERS_OF_SOME;
  const { seed, maxOrders = ordersByDefault, json = false } = options;
  const run = await exploreSteps(chosen, { seed, maxOrders, silent: json }, cleanup);
  const measured = options.market && (await measureMarket(market, options.seconds, cleanup));
  if (json) process.stdout.write(jsonDocument({ ...run, ...(measured && { market: marketJson(measured) }) }));
  else process.stdout.write(runSummary(run) + (measured ? `\n${marketText(market, measured)}` : ''));
  writeHtmlFile(options.html, () => page({ run, market: measured }));
  const wrong = unexpected(run.steps);
  for (const sentence of wrong) process.stderr.write(`${sentence}\n`);
  return wrong.length > 0 ? 1 : 0;
}
