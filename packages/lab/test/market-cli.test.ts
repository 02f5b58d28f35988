/** The commands that measure the marketplace, with figures that are known. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Cleanup } from '@holdfast/example-common';
import { afterEach, expect, test, vi } from 'vitest';
import type { Market } from '../src/cli/market.ts';
import { cli } from '../src/cli/program.ts';
import { steps } from '../src/steps/index.ts';
import { MARKET } from './report-fixture.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const market: Market = {
  async run({ seconds, onProgress }) {
    const { cells } = MARKET.result;
    for (const [done, now] of cells.entries()) onProgress({ done, of: cells.length, now });
    onProgress({ done: cells.length, of: cells.length, now: undefined });
    return { ...MARKET.result, seconds };
  },
  table: ({ cells }, width) => `table of ${cells.length} in ${width}`,
  legend: () => ['what it is'],
  expectations: () => MARKET.expectations,
};

async function run(...args: string[]) {
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      said[name] += text;
      return true;
    });
  const cleanup = new Cleanup();
  const code = await cli(args, { steps, market }, cleanup);
  await cleanup.run();
  return { code, ...said };
}

test('market shows the table and what became of each expectation', async () => {
  const { code, stdout, stderr } = await run('market', '--seconds', '0.5');
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^table of 2 in 113\nwhat it is\n\n✓ Retries fall to 0 .*\n✗ Holdfast is ahead\.\n {2}Why: as <img .*\n$/,
  );
  expect(stderr).toMatch(/^1\/2 WATCH .*, 5\+5\n2\/2 Holdfast, item, 5\+5\n$/);
});

test('market --json prints one document, with the seconds that were asked for', async () => {
  const { stdout } = await run('market', '--json', '--seconds', '0.5');
  expect(JSON.parse(stdout)).toMatchObject({
    seconds: 0.5,
    cells: [{}, { label: 'Holdfast, item' }],
    expectations: [{ holds: true }, { holds: false }],
  });
});

test('run --market puts the diagrams and the charts on one page', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-lab-'));
  const file = join(folder, 'lab.html');
  const { stdout } = await run('run', '0', '--market', '--json', '--html', file);
  const html = readFileSync(file, 'utf8');
  rmSync(folder, { recursive: true });
  expect(JSON.parse(stdout)).toMatchObject({ steps: [{ id: '0' }], market: { cells: [{}, {}] } });
  expect(html).toContain('class="sequence"');
  expect(html).toContain('class="chart"');
});
