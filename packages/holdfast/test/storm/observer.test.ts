/** The storm's observer sees what it looks for: without this its silence would say nothing. */
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HistoryEvent } from '../../../testkit/src/index.ts';
import { type Place, storm } from '../suites/semaphore-storm.ts';
import { violations } from '../suites/storm/observer.ts';
import { serverPlace } from '../suites/storm/places.ts';
import type { Operation } from '../suites/storm/resource.ts';

const ROUNDS = 8;

describe('a storm that breaks the promise', () => {
  let place: Place;
  beforeAll(async () => {
    place = await serverPlace(['ioredis 5', 'ioredis 5', 'ioredis 5', 'ioredis 5']);
  });
  afterAll(() => place.end());

  async function judged(options: object): Promise<string> {
    const { folder, ...seen } = await storm(place, { rounds: ROUNDS, faults: false, ...options });
    rmSync(folder, { recursive: true });
    expect(seen.history.filter(({ type }) => type === 'got').length).toBeGreaterThan(100);
    return violations({ ...seen, limit: 7 }).join('\n');
  }

  it('on a limit of 8, judged by 7', async () => {
    const found = await judged({ limit: 8 });
    expect(found).toMatch(/: 8 permits of 7 are held/);
    expect(found).toMatch(/these are no slots: .*slots \[[\d,]*7\]/s);
  }, 60_000);

  it('with a semaphore that goes by the wall clocks of its clients', async () => {
    expect(await judged({ clientClock: true })).toMatch(/: \d+ permits of 7 are held/);
  }, 60_000);
});

/** A lease of 4 permits of a limit of 7, from 10 to 20 ms; its validity ends at 100 ms. */
function lease(changes: Record<string, unknown> = {}): HistoryEvent[] {
  const { askedMs = 5, fromMs = 10, toMs = 20, ...fields } = changes;
  const ns = (ms: unknown) => BigInt(Math.round(Number(ms) * 1e6));
  const all = { id: 'a', name: 'n', permits: 4, token: 1, slots: [], slotted: false, ...fields };
  return [
    { ...all, t: ns(askedMs), type: 'ask' },
    { ...all, t: ns(fromMs), type: 'got', remainingMs: 90 },
    { ...all, t: ns(toMs), type: 'release' },
  ];
}

const work = (id: string, ms: number, token: number, accepted = true): Operation => ({
  ...{ id, name: 'n', slot: 0, token, accepted },
  t: BigInt(ms * 1e6),
});

function judge(history: readonly HistoryEvent[], operations: readonly Operation[] = []): string[] {
  const inOrder = [...history].sort((a, b) => Number(a.t - b.t));
  return violations({ history: inOrder, operations, limit: 7 });
}

/** Another one, of 3 permits. */
const other = (changes: object) => lease({ id: 'b', permits: 3, token: 2, askedMs: 6, ...changes });
const slot = (n: number) => ({ permits: 1, slots: [n], slotted: true });
const at = (ms: number, type: string, fields: object) => ({
  t: BigInt(ms * 1e6),
  type,
  id: 'a',
  name: 'n',
  ...fields,
});

describe('the observer is content with', () => {
  it.each<[string, HistoryEvent[], Operation[]?]>([
    ['as many as there are', [...lease(), ...other({})]],
    ['more that follow each other', [...lease(), ...other({ permits: 7, fromMs: 20, toMs: 30 })]],
    ['another name', [...lease(), ...other({ name: 'm', permits: 7 })]],
    [
      'what a stopped process believes after its validity',
      [...lease({ toMs: 300 }), ...other({ permits: 7, fromMs: 101, toMs: 110 })],
    ],
    [
      'what a stopped process does too late',
      [...lease({ toMs: 300, ...slot(0) }), ...other({ ...slot(0), fromMs: 101, toMs: 150 })],
      [work('a', 11, 1), work('b', 102, 2), work('a', 299, 1, false)],
    ],
    [
      'a loss that it is told of too late',
      [...lease(), at(120, 'lost', { reason: 'lost' }), at(121, 'released', { outcome: 'lost' })],
    ],
  ])('%s', (_, history, operations) => {
    expect(judge(history, operations)).toEqual([]);
  });
});

describe('the observer objects to', () => {
  it.each<[string, RegExp, HistoryEvent[], Operation[]?]>([
    ['one too many', /8 permits of 7 are held/, [...lease(), ...other({ permits: 4, fromMs: 19 })]],
    [
      'one too many of a process that was killed',
      /8 permits of 7 are held/,
      [...lease().slice(0, 2), ...other({ permits: 4, fromMs: 99, toMs: 110 })],
    ],
    [
      'one too many after a renewal',
      /8 permits of 7 are held/,
      [
        ...lease({ toMs: 150 }),
        at(50, 'renewed', { remainingMs: 90 }),
        ...other({ permits: 4, fromMs: 139, toMs: 145 }),
      ],
    ],
    ['a slot that two have', /slot n 0: n: 2 permits of 1/, [...lease(slot(0)), ...other(slot(0))]],
    ['a slot that there is not', /these are no slots/, lease(slot(7))],
    ['one slot for two permits', /these are no slots/, lease({ ...slot(3), permits: 2 })],
    ['one token for two leases', /two leases have one token/, [...lease(), ...other({ token: 1 })]],
    [
      'a later grant with a lower token',
      /a later grant has a lower token/,
      [...lease({ token: 5 }), ...other({ askedMs: 11, fromMs: 12, toMs: 13 })],
    ],
    [
      'a holder who is refused',
      /the holder a of slot 0 was refused/,
      lease(slot(0)),
      [work('a', 15, 1, false)],
    ],
    [
      'mixed work',
      /work of two leases is mixed/,
      lease(slot(0)),
      [work('a', 11, 1), work('b', 12, 2), work('a', 13, 2)],
    ],
    [
      'a lease that is taken away',
      /a was gone, although valid/,
      [...lease(), at(21, 'released', { outcome: 'lost' })],
    ],
    ['a loss', /a was gone, although valid/, [...lease(), at(15, 'lost', { reason: 'lost' })]],
    ['somebody who waits for ever', /neither got nor was refused/, [at(1, 'stuck', { plan: {} })]],
    ['whatever a process complains of', /^warning: x$/, [at(1, 'fault', { what: 'warning: x' })]],
  ])('%s', (_, text, history, operations) => {
    expect(judge(history, operations).join('\n')).toMatch(text);
  });
});
