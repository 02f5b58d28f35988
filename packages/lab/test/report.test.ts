import { expect, test } from 'vitest';
import { barChart } from '../src/report/bar-chart.ts';
import { marketCharts } from '../src/report/market-view.ts';
import { markup } from '../src/report/markup.ts';
import { page } from '../src/report/page.ts';
import { scenarioReport, scriptReport, unexpected } from '../src/report/report.ts';
import { rowsOf } from '../src/report/sequence.ts';
import { countsOf, legible, toneOf, totalOf, verdictOf, wrap } from '../src/report/words.ts';
import { EVIL, MARKET, RUN } from './report-fixture.ts';

const [step] = RUN.steps;
const [crowd, right] = step?.scenarios ?? [];
if (!crowd?.shown || !right) throw new Error('the fixture has two scenarios, one with an order');
const rows = rowsOf(crowd, crowd.shown);
const html = page({ run: RUN, market: MARKET });

test('every value on the page is escaped, wherever it stands', () => {
  expect(html).not.toContain('<img');
  expect(html).not.toContain(EVIL);
  expect(html.match(/&#60;img src=x onerror=&#34;alert\(1\)&#34;&#62;/g)?.length).toBeGreaterThan(10);
});

test('the page loads nothing, runs nothing and names no other place', () => {
  expect(html).not.toMatch(/<script|<link|<iframe|\bsrc="|url\(|@import|https?:/);
  expect(html).toContain(`content="default-src &#39;none&#39;; style-src &#39;unsafe-inline&#39;;`);
});

test('the contents lead to each step and to the marketplace', () => {
  for (const id of ['step-5', 'market']) {
    expect(html).toContain(`href="#${id}"`);
    expect(html).toContain(`<section id="${id}">`);
  }
});

test('how to read the drawings is told once, where there are any', () => {
  expect(html.match(/<section id="key">/g)).toHaveLength(1);
  const scenarios = [right];
  const undrawn = page({ run: { ...RUN, steps: [{ id: '5', name: 'five', about: '', scenarios }] } });
  expect(undrawn).not.toContain('<section id="key">');
});

test('an expectation that does not hold is told with its reason', () => {
  expect(html).toMatch(/<li class="fails">Holdfast is ahead\.<p class="small">Why: as &#60;img/);
});

test('a page of the marketplace alone has no steps', () => {
  const alone = page({ market: MARKET });
  expect(alone).not.toContain('<section id="key">');
  expect(alone).toContain('The marketplace');
  expect(alone).not.toContain('href="#step-');
});

test('markup escapes what is no markup, in lists too', () => {
  const inner = markup`<b title="${'"'}">${['<', markup`<i>`]}</b>`;
  expect(String(markup`${inner}${undefined}${0}`)).toBe('<b title="&#34;">&#60;<i></b>0');
});

test('counts say how many orders there are, or what share was seen', () => {
  expect(countsOf(right)).toBe('924 orders, 0 bad');
  expect(countsOf({ ...right, orders: 1, bad: 1 })).toBe('1 order, 1 bad');
  expect(countsOf(crowd)).toBe('12,000 of about 3 million orders (0.4 %), 31 bad');
  expect(countsOf({ ...crowd, share: 0.25 })).toBe('12,000 of about 48,000 orders (25 %), 31 bad');
  expect(countsOf({ ...crowd, share: 1e-9 })).toBe(
    '12,000 of about 12 trillion orders (less than 0.001 %), 31 bad',
  );
  expect(countsOf({ ...crowd, share: 1 })).toBe('12,000 orders, nearly all there are, 31 bad');
});

test('a verdict says whether it was expected, and a sample never says that there is none', () => {
  expect(verdictOf(crowd)).toBe('a bug, as expected');
  expect(verdictOf(right)).toBe('no bad order, as expected');
  expect(verdictOf({ ...right, complete: false })).toBe('no bad order seen, as expected');
  expect(verdictOf({ ...right, skipped: 'this server has no DELEX' })).toBe('this server has no DELEX');
  const missed = { ...crowd, bad: 0, asExpected: false };
  expect(verdictOf(missed)).toBe('no bad order seen, which is NOT as expected: there must be a bug');
  expect(unexpected([{ ...RUN.steps[0], id: '5', name: '', about: '', scenarios: [missed, right] }])).toEqual(
    [`Not as expected: step 5, “two at once ${EVIL}”: no bad order was found, and there must be one.`],
  );
});

test('a bug is not told in the colour of good news, even where it was expected', () => {
  expect([crowd, right].map(toneOf)).toEqual(['found', 'good']);
  expect(toneOf({ ...crowd, bad: 0, asExpected: false })).toBe('bad');
  expect(toneOf({ ...right, skipped: 'this server has no DELEX' })).toBe('dim');
});

test('a script has a sequence even when nothing goes wrong, and no moment at which it does', async () => {
  const lines = crowd.shown?.lines ?? [];
  const script = { name: 'a drama', about: '', actors: ['A', 'B'], expects: 'no bug' } as const;
  const good = await scriptReport({ ...script, run: async () => ({ why: undefined, lines }) });
  expect(good).toMatchObject({ asExpected: true, scripted: true, bad: 0 });
  expect(rowsOf(good, good.shown ?? { why: '', lines: [] }).some(({ wrong }) => wrong)).toBe(false);
  expect(countsOf(good) + verdictOf(good)).toBe('A script, played oncenothing goes wrong, as expected');
  const bad = await scriptReport({ ...script, run: async () => ({ why: 'two hold it', lines }) });
  expect(bad).toMatchObject({ asExpected: false, bad: 1 });
  expect(totalOf([right, good, bad])).toBe('924 orders in 1 scenario and 2 scripts');
  expect(totalOf([good])).toBe('1 script');
});

test('a script may say itself with which line it goes wrong', async () => {
  const { why, lines } = crowd.shown ?? { why: '', lines: [] };
  expect(
    rowsOf(crowd, { why, lines, moment: 4 })
      .map(({ wrong }) => wrong)
      .indexOf(true),
  ).toBe(4);
});

test('what could not be run is as expected', () => {
  const scenario = { name: 'new', about: '', actors: {}, expects: 'bug' } as const;
  const nothing = { orders: 0, bad: 0, complete: false, share: 0, shortest: undefined, tookMs: 0 };
  const skipped = scenarioReport({ scenario, ...nothing, skipped: 'this server has no DELEX' });
  expect(skipped).toMatchObject({ asExpected: true, skipped: 'this server has no DELEX' });
  expect(countsOf(skipped)).toBe('Not run');
});

test('rows tell what changed, who begins and ceases to work, and where it goes wrong', () => {
  expect(rows.map(({ kind }) => kind)).toEqual([
    'command',
    'time',
    'command',
    'note',
    'event',
    'crash',
    'command',
  ]);
  expect(rows[0]).toMatchObject({
    actor: 'A',
    enters: ['A'],
    changes: [{ key: 'lock', value: 'a1 (expires)' }],
  });
  expect(rows[1]?.changes).toEqual([{ key: 'lock', value: undefined }]);
  expect(rows.map(({ wrong }) => wrong).indexOf(true)).toBe(2);
  expect(rows[5]).toMatchObject({ actor: 'A', leaves: ['A'] });
});

test('values are legible: on one line, without escape sequences, times and hashes short', () => {
  expect(legible('a\n\tb \x1b[31mred')).toBe('a b \ufffd[31mred');
  expect(legible('ZADD s 1700000000007 a 1699999999990 b 1700000000000 1800000000000')).toBe(
    'ZADD s T+7 a T−10 b T 1800000000000',
  );
  expect(legible(`EVALSHA ${'0123456789'.repeat(4)} 1`)).toBe('EVALSHA 0123456… 1');
  expect(legible('x'.repeat(500))).toHaveLength(160);
});

test('lines break at spaces where there are any, and never exceed the width', () => {
  expect(wrap('one two three', 7)).toEqual(['one two', 'three']);
  expect(wrap('abcdefgh ij', 3)).toEqual(['abc', 'def', 'gh', 'ij']);
  expect(wrap('', 5)).toEqual(['']);
});

test('charts have a bar for each way under each load, the longest for the greatest', () => {
  const charts = marketCharts(MARKET.result);
  expect(charts.map(({ unit }) => unit)).toEqual(['op/s', 'ms', 'ms']);
  const [speed] = charts.map((chart) => String(barChart(chart)));
  const widths = [...(speed?.matchAll(/class="bar b\d" x="0" y="\d+" width="(\d+)"/g) ?? [])].map(
    ([, width]) => Number(width),
  );
  expect(widths).toHaveLength(2);
  expect(widths[1]).toBeCloseTo(10 * (widths[0] ?? 0), -1);
});

test('a chart of nothing is a chart', () => {
  const zero = {
    title: 'none',
    unit: 'ms',
    groups: [{ label: '1+1', bars: [{ label: 'a way', value: 0 }] }],
  };
  expect(String(barChart(zero))).toContain('0 ms');
  expect(String(barChart({ ...zero, groups: [] }))).toContain('<svg');
});
