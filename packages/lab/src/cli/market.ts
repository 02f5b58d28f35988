/** `holdfast-lab market`. */
import { bad, type Cleanup, dim, good, jsonDocument } from '@holdfast/example-common';
import type { Expectation, MarketFigures, MarketReport } from '../report/market-view.ts';
import { page } from '../report/page.ts';
import { wrap } from '../report/words.ts';
import { checkHtmlFile, writeHtmlFile } from './html-file.ts';
import type { MarketOptions } from './options.ts';
import { Progress } from './progress.ts';
import { screenWidth } from './screen.ts';
import { findOwnServer } from './server.ts';

/** The marketplace, as far as the command line knows it. */
export interface Market {
  run(options: { seconds: number; onProgress: (progress: MarketProgress) => void }): Promise<MarketFigures>;
  /** @param width in characters */
  table(result: MarketFigures, width: number): string;
  /** What to know about the table, in sentences. */
  legend(result: MarketFigures): readonly string[];
  expectations(result: MarketFigures): readonly Expectation[];
}

interface MarketProgress {
  readonly done: number;
  readonly of: number;
  /** What comes now; `undefined` at the end. */
  readonly now: { readonly label: string; readonly load: MarketFigures['cells'][number]['load'] } | undefined;
}

export async function marketCommand(
  { market }: { market: Market },
  options: MarketOptions,
  cleanup: Cleanup,
): Promise<number> {
  checkHtmlFile(options.html);
  const measured = await measureMarket(market, options.seconds, cleanup);
  process.stdout.write(options.json ? jsonDocument(marketJson(measured)) : marketText(market, measured));
  writeHtmlFile(options.html, () => page({ market: measured }));
  // What was expected of times is no law: only deals that went wrong are a failure, and those end the run.
  return 0;
}

export async function measureMarket(
  market: Market,
  seconds: number,
  cleanup: Cleanup,
): Promise<MarketReport> {
  await findOwnServer();
  let progress: Progress | undefined;
  cleanup.add(() => progress?.clear());
  const onProgress = ({ of, now }: MarketProgress) => {
    progress?.end();
    progress ??= new Progress(of);
    if (now) progress.begin(`${now.label}, ${now.load.listers}+${now.load.buyers}`);
  };
  const result = await market.run({ seconds, onProgress });
  return { result, expectations: market.expectations(result) };
}

export function marketJson({ result, expectations }: MarketReport): object {
  return { ...result, expectations };
}

export function marketText(market: Market, { result, expectations }: MarketReport): string {
  const held = expectations.flatMap(({ holds, text, why }) => {
    const [first = '', ...more] = wrap(text, screenWidth() - 2);
    const reason = why === undefined ? [] : wrap(`Why: ${why}`, screenWidth() - 2).map(dim);
    return [`${holds ? good('✓') : bad('✗')} ${first}`, ...[...more, ...reason].map((line) => `  ${line}`)];
  });
  const legend = market.legend(result).flatMap((sentence) => wrap(sentence, screenWidth()));
  return `${[market.table(result, screenWidth()), ...legend, '', ...held].join('\n')}\n`;
}
