import { describe, expect, it } from 'vitest';
import { pageOf } from '../src/report/page.ts';
import { bound } from '../src/report/text.ts';
import { type Ran, standing } from '../src/run.ts';
import type { Outcome } from '../src/scenarios/scenario.ts';

const outcome: Outcome = {
  what: '8 locks',
  hits: [{ fault: 'holder killed', hits: 60, wanted: 60 }],
  acquisitions: 1234,
  violations: [],
  explained: 2,
  largestHandOverMs: 219.4,
  notes: ['a note'],
};
const ran = (id: string, outcomes: readonly Outcome[]): Ran => ({
  scenario: { id, what: `about ${id}`, run: async () => outcomes },
  outcomes,
  tookMs: 1,
});
const head = {
  ...{
    date: '2026-12-02',
    seed: 7,
    full: true,
    server: 'Redis 7.0.15',
    node: 'v20',
    tookMs: 60_000,
    cores: 2,
  },
  clients: ['ioredis 5.11.1'],
};

describe('a run', () => {
  it('held when every fault hit often enough and nothing was violated', () => {
    expect(standing([outcome])).toBe('held');
  });

  it('is inconclusive when a fault hit too seldom, and violated before all else', () => {
    const seldom = { ...outcome, hits: [{ fault: 'x', hits: 1, wanted: 2 }] };
    const violated = { ...outcome, violations: [{ check: 'C1', text: 'two' } as const] };
    expect(standing([outcome, seldom])).toBe('inconclusive');
    expect(standing([seldom, violated])).toBe('violated');
  });
});

describe('the bound', () => {
  it('is 3/n, and no more than everything', () => {
    expect(bound({ fault: '', hits: 200, wanted: 0 }, 0)).toBe('0 of 200, ≤ 1.5 %');
    expect(bound({ fault: '', hits: 2, wanted: 0 }, 0)).toBe('0 of 2, ≤ 100 %');
    expect(bound({ fault: '', hits: 0, wanted: 0 }, 0)).toBe('–');
    expect(bound({ fault: '', hits: 9, wanted: 0 }, 3)).toBe('3 of 9');
  });
});

describe('the page', () => {
  it('has date, seed, versions, a row for each fault, notes, and the controls apart', () => {
    const page = pageOf(head, [ran('processes', [outcome]), ran('controls', [outcome])]);
    expect(page).toContain(
      '2026-12-02, the full run, seed 7, 60.0 s on 2 cores; Redis 7.0.15; Node v20; ioredis 5.11.1.',
    );
    expect(page).toContain('| 8 locks | holder killed | 60 | 0 of 60, ≤ 5 % | 1234 | 219 ms | held |');
    expect(page).toContain('8 locks: a note; 2 overlaps or losses that lost data explain.');
    expect(page).toContain('| 8 locks | holder killed | 60 | 60 | found |');
  });
});
