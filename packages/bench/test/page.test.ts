import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { aim, aimAtLeast, bestRival, isMet, type Row, rowOf, type Table, toBestRival } from '../src/part.ts';
import { PART_IDS } from '../src/parts/index.ts';
import { chartOf } from '../src/report/chart.ts';
import { cellsBehind, numberText } from '../src/report/figures.ts';
import { pageOf } from '../src/report/page.ts';
import { docsOf, keptResults } from '../src/report/save.ts';
import { textOf } from '../src/report/text.ts';
import type { Result } from '../src/run.ts';

const who = (id: string, role: Row['role']) => ({ id, label: `the ${id}`, role });
const rows: Row[] = [
  rowOf(who('floor', 'floor'), { us: 100, use: 99 }),
  rowOf(who('holdfast', 'holdfast'), { us: 120, use: 80.04 }),
  rowOf(who('quick', 'rival'), { us: 110, use: 20 }, 'gave up 3 times'),
  rowOf(who('broken', 'rival'), { us: Number.NaN }, 'did not run: <no luck>'),
];
const table: Table = {
  id: 'fixture',
  title: 'A <table>',
  columns: [
    { id: 'us', label: 'µs', digits: 0, better: 'less' },
    { id: 'use', label: 'in use, %', digits: 1, better: 'more' },
  ],
  rows,
  aims: [
    aim('latency / best rival', toBestRival(rows, 'us', 'less'), 1),
    aimAtLeast('use', 80.04, 50, '%'),
    aim('nobody there', Number.NaN, 1),
  ],
  notes: ['A note.'],
  chart: 'us',
};
const result: Result = {
  date: '2026-12-02',
  quick: false,
  load: 0.1,
  machine: {
    cores: 2,
    cpu: 'a processor',
    memoryGb: 4,
    os: 'Debian 12',
    node: 'v20.20.2',
    server: 'Redis 7.0.15',
    versions: { redlock: '5.0.0', holdfast: '0.1.0' },
  },
  parts: [
    { id: 'one', what: 'what it is', tookMs: 1, tables: [table], unhandled: [] },
    { id: 'two', what: 'sad', tookMs: 1, tables: [], failed: 'the server is gone', unhandled: ['oh'] },
  ],
};

test('the best rival is no floor, is not Holdfast, and has a figure', () => {
  expect(bestRival(rows, 'us', 'less')).toMatchObject({ value: 110, row: { id: 'quick' } });
  expect(bestRival(rows, 'use', 'more')?.value).toBe(20);
  expect(bestRival(rows, 'lunch', 'more')).toBeUndefined();
});

test('an aim is met, missed, or has nothing to go by', () => {
  expect(table.aims.map(isMet)).toEqual([false, true, undefined]);
});

test('the page names the aim that was missed, the rival that is ahead, and what a rival did instead', () => {
  const page = pageOf([result]);
  expect(page).toContain(
    '1 of 3:\n\n| what | reached | aim |\n|---|--:|--:|\n| latency / best rival | 1.09 × | ≤ 1 × |',
  );
  expect(page).toContain('| A <table> | µs | 120 | 110 | the quick |');
  expect(page).toContain('- the quick: gave up 3 times');
  expect(page).toContain('| **the holdfast** | 120 | 80.0 |');
  expect(page).toContain('| the broken | – | – |');
  expect(page).toContain('**Broke down:** the server is gone');
  expect(page).toContain('redlock 5.0.0');
  expect(page).toContain('srcset="benchmarks/fixture-dark.svg"');
});

test('parts of other days or machines are told apart, and a machine that was at work for others is said so', () => {
  const [one, two] = result.parts.map((part) => ({ ...result, parts: [part] }));
  if (one === undefined || two === undefined) throw new Error('the fixture has two parts');
  expect(pageOf([one, two])).toContain('Measured 2026-12-02: 2 cores (a processor)');
  const page = pageOf([one, { ...two, date: '2026-12-03', load: 4.2 }]);
  expect(page).toContain('Measured (one) 2026-12-02: 2 cores');
  expect(page).toContain('Measured (two) 2026-12-03: 2 cores');
  expect(page.match(/at work for others too \(load 4.2 before it began\): provisional/g)).toHaveLength(1);
});

test('where a rival is ahead by less than two per cent nobody is', () => {
  const close = {
    ...table,
    rows: [rowOf(who('holdfast', 'holdfast'), { us: 101 }), rowOf(who('a', 'rival'), { us: 100 })],
  };
  expect(cellsBehind(close)).toEqual([]);
  expect(cellsBehind(table)).toMatchObject([{ column: 'µs', who: 'the quick' }]);
});

test('what is reached to the digits that are shown is reached', () => {
  expect(isMet(aimAtLeast('use', 0.9996, 1))).toBe(true);
  expect(isMet(aimAtLeast('use', 0.9994, 1))).toBe(false);
  expect(isMet(aim('latency', 1.004, 1))).toBe(true);
  expect(isMet(aim('latency', 1.006, 1))).toBe(false);
});

test('a chart has a bar for each figure, in both themes, and no markup from data', () => {
  for (const theme of ['light', 'dark'] as const) {
    const svg = chartOf(table, theme) ?? '';
    expect(svg.match(/<rect x=/g)).toHaveLength(3);
    expect(svg).toContain('A &lt;table&gt;');
  }
  expect(chartOf(table, 'light')).not.toBe(chartOf(table, 'dark'));
  expect(chartOf({ ...table, chart: 'lunch' }, 'light')).toBeUndefined();
});

test('the text has every row and aim', () => {
  const text = textOf(result);
  for (const part of ['the quick: gave up 3 times', '1.09 ×, aim ≤ 1 ×', 'NOT REACHED', 'two BROKE DOWN'])
    expect(text).toContain(part);
});

test('figures have three digits, and as many as are before the point', () => {
  expect([0.0123456, 1.2345, 99.96, 12_345.6].map(numberText)).toEqual(['0.012', '1.23', '100', '12,346']);
  expect(numberText(null)).toBe('–');
});

test('the committed page and charts are what the committed results give', () => {
  const kept = keptResults(PART_IDS);
  expect(kept.map(({ parts }) => parts.map(({ id }) => id))).toEqual(PART_IDS.map((id) => [id]));
  const docs = new URL('../../../docs/', import.meta.url);
  const files = docsOf(kept);
  for (const [file, text] of files) expect(readFileSync(new URL(file, docs), 'utf8')).toBe(text);
  const charts = readdirSync(new URL('benchmarks/', docs)).map((file) => `benchmarks/${file}`);
  expect(charts.filter((file) => !files.has(file))).toEqual([]);
  expect(existsSync(new URL('benchmark-profiles.md', docs))).toBe(true);
});

test('results name no host and no path', () => {
  expect(JSON.stringify(keptResults(PART_IDS))).not.toMatch(/\/(home|root|tmp|work|usr)\/|hostname/);
});
