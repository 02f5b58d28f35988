/** A report with everything that a page can show, and with markup where texts belong. */
import type { MarketReport } from '../src/report/market-view.ts';
import type { RunReport, ScenarioReport } from '../src/report/report.ts';

export const EVIL = '<img src=x onerror="alert(1)">';

const COUNTS = { asExpected: true, scripted: false, complete: true, share: 1, tookMs: 12 };

const crowd: ScenarioReport = {
  ...COUNTS,
  name: `two at once ${EVIL}`,
  about: `A, B and the clock ${EVIL}`,
  expects: 'bug',
  actors: [
    { name: 'A', clockAheadMs: 10 },
    { name: 'B', clockAheadMs: 0 },
    { name: EVIL, clockAheadMs: 0 },
  ],
  limit: 1,
  orders: 12_000,
  bad: 31,
  complete: false,
  share: 0.004,
  shown: {
    why: `A and B work at once ${EVIL}`,
    lines: [
      { who: 'A', what: 'SET lock a1 NX PX 100', reply: 'OK', keys: { lock: 'a1 (expires)' }, inside: ['A'] },
      { who: 'time', what: 'the time of lock runs out', reply: '', keys: {}, inside: ['A'] },
      {
        who: 'B',
        what: `SET lock ${EVIL} NX PX 100`,
        reply: EVIL,
        keys: { [EVIL]: EVIL },
        inside: ['A', 'B'],
      },
      { who: 'B', what: `sells a ticket ${EVIL}`, reply: '', keys: { [EVIL]: EVIL }, inside: ['A', 'B'] },
      { who: 'operator', what: `looks on ${EVIL}`, reply: '', keys: {}, inside: ['A', 'B'] },
      { who: 'crash', what: 'A dies', reply: '', keys: {}, inside: ['B'] },
      { who: 'B', what: 'ZADD seats 1700000000007 b1', reply: '1', keys: {}, inside: [] },
    ],
  },
};

const right: ScenarioReport = {
  ...COUNTS,
  name: 'one at a time',
  about: 'A alone.',
  expects: 'no bug',
  actors: [{ name: 'A', clockAheadMs: 0 }],
  limit: 1,
  orders: 924,
  bad: 0,
};

export const RUN: RunReport = {
  server: `Redis 7.0.15 ${EVIL}`,
  node: 'v20.19.0',
  at: '2026-01-02T03:04:05.678Z',
  seed: 1,
  maxOrders: 6_000,
  tookMs: 1_234,
  steps: [
    { id: '5', name: `fair semaphore ${EVIL}`, about: `What it is ${EVIL}`, scenarios: [crowd, right] },
  ],
};

const cell = (label: string, operationsPerSecond: number): MarketReport['result']['cells'][number] => ({
  label,
  load: { listers: 5, buyers: 5 },
  ...{ listed: 1_000, bought: 900, retries: 12, operationsPerSecond },
  buying: { meanMs: 1.25, p99Ms: 13 },
  in60s: { retries: 144, operations: operationsPerSecond * 60 },
  chapter: { operationsOver: 220_000, retries: 0, meanWaitMs: 3, under: true },
});

export const MARKET: MarketReport = {
  result: {
    ...{ server: 'Redis 7.0.15', node: 'v20.19.0', cpus: 2, seconds: 5 },
    cells: [cell(`WATCH ${EVIL}`, 400), cell('Holdfast, item', 4_000)],
  },
  expectations: [
    { holds: true, text: `Retries fall to 0 ${EVIL}` },
    { holds: false, text: 'Holdfast is ahead.', why: `as ${EVIL}` },
  ],
};
