/** Keeps results, a file for each part, and writes the page and its charts from them. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Result } from '../run.ts';
import { chartOf } from './chart.ts';
import { pageOf } from './page.ts';
import { CHARTS, chartFile } from './page-part.ts';

const RESULTS = fileURLToPath(new URL('../../results/', import.meta.url));
const DOCS = fileURLToPath(new URL('../../../../docs/', import.meta.url));

const fileOf = (part: string) => join(RESULTS, `${part}.json`);

/** Replaces what was kept of the parts of this result, unless they broke down, leaves the others, and writes the docs from all of them. */
export function save(result: Result, order: readonly string[]): void {
  mkdirSync(RESULTS, { recursive: true });
  for (const part of result.parts.filter(({ failed }) => failed === undefined))
    writeFileSync(fileOf(part.id), `${JSON.stringify({ ...result, parts: [part] }, null, 1)}\n`);
  rmSync(join(DOCS, CHARTS), { recursive: true, force: true });
  mkdirSync(join(DOCS, CHARTS), { recursive: true });
  for (const [file, text] of docsOf(keptResults(order))) writeFileSync(join(DOCS, file), text);
}

/** What was kept, each a result of one part. @param order the ids of the parts, as they come on the page */
export function keptResults(order: readonly string[]): Result[] {
  const kept = order.map(fileOf).filter((file) => existsSync(file));
  return kept.map((file) => JSON.parse(readFileSync(file, 'utf8')) as Result);
}

/** Everything that the docs have of results, by the path within `docs`. */
export function docsOf(results: readonly Result[]): Map<string, string> {
  const files = new Map([['benchmarks.md', pageOf(results)]]);
  for (const table of results.flatMap(({ parts }) => parts).flatMap(({ tables }) => tables))
    for (const theme of ['light', 'dark'] as const) {
      const chart = chartOf(table, theme);
      if (chart !== undefined) files.set(`${CHARTS}/${chartFile(table, theme)}`, chart);
    }
  return files;
}
