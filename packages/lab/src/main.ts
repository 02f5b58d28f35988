#!/usr/bin/env node
/** The program holdfast-lab. See --help. */
import { runToEnd } from '@holdfast/example-common';
import type { Market } from './cli/market.ts';
import { cli } from './cli/program.ts';
import { disturbance, expectations } from './market/expectations.ts';
import { runMarket } from './market/market.ts';
import type { MarketResult } from './market/result.ts';
import { marketLegend, marketTable } from './market/table.ts';
import { steps } from './steps/index.ts';

const market: Market = {
  run: runMarket,
  table: marketTable,
  legend: marketLegend,
  expectations: (result: MarketResult) => {
    const disturbed = disturbance(result);
    return [...(disturbed === undefined ? [] : [{ holds: false, text: disturbed }]), ...expectations(result)];
  },
};

await runToEnd((cleanup) => cli(process.argv.slice(2), { steps, market }, cleanup));
