/** The pure decisions about what several nodes say: tables, and properties against a simple model. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { majorityState } from '../../src/quorum/majority-state.ts';
import { Stamps } from '../../src/quorum/stamps.ts';
import {
  type Answer,
  holdersByMajority,
  isDecided,
  isYes,
  majorityOf,
  outcomeOf,
  standingOf,
  verdict,
} from '../../src/quorum/votes.ts';
import type { Vote } from '../../src/store/redis-voter.ts';
import type { LockState } from '../../src/store/store.ts';

const PENDING = { state: 'pending' } as const;
const FAILED = { state: 'failed', error: new Error('gone') } as const;
const said = (value: Vote): Answer<Vote> => ({ state: 'answered', value });
const YES = said({ kind: 'yes', kept: false });
const stale = (fence: number) => said({ kind: 'stale', fence });
const held = (who: string, remainingMs = 1_000, rank = 0) =>
  said({ kind: 'held', who, remainingMs, foreign: false, rank, isNew: false });
const foreign = (who: string, remainingMs = -1) =>
  said({ kind: 'held', who, remainingMs, foreign: true, rank: 0, isNew: false });

const anAnswer: fc.Arbitrary<Answer<Vote>> = fc.oneof(
  fc.constantFrom<Answer<Vote>>(PENDING, FAILED, YES),
  fc.integer({ min: 1, max: 9 }).map(stale),
  fc.tuple(fc.constantFrom('a', 'b'), fc.integer({ min: -2, max: 99 })).map(([who, ms]) => held(who, ms)),
);
const someAnswers = fc.array(anAnswer, { minLength: 1, maxLength: 7 });
const count = (answers: readonly Answer<Vote>[], ...kinds: string[]) =>
  answers.filter((one) => kinds.includes(one.state === 'answered' ? one.value.kind : one.state)).length;

describe('a majority', () => {
  it('is more than half, so that two of them meet', () => {
    expect([1, 2, 3, 4, 5, 6, 7].map(majorityOf)).toEqual([1, 2, 2, 3, 3, 4, 4]);
    for (let n = 1; n < 50; n++) expect(2 * majorityOf(n)).toBeGreaterThan(n);
  });
});

describe('an outcome', () => {
  it.each<[string, string, Answer<Vote>[]]>([
    ['won', 'two of three', [YES, PENDING, YES]],
    ['won', 'whatever the third says', [YES, stale(5), YES]],
    ['split', 'two of four', [YES, YES, held('a'), held('a')]],
    ['stale', 'an old stamp', [YES, stale(5), PENDING]],
    ['held', 'by one at two', [held('a'), PENDING, held('a')]],
    ['held', 'by foreigners, who cannot be told apart', [foreign('x'), foreign('y'), YES]],
    ['split', 'one each', [held('a'), held('b'), YES]],
    ['split', 'a tie', [YES, held('a')]],
    ['unreachable', 'one answer of three', [YES, FAILED, FAILED]],
    ['unreachable', 'none', [FAILED, FAILED, FAILED]],
  ])('is %s: %s', (kind, _, answers) => {
    expect(outcomeOf(answers).kind).toBe(kind);
  });

  it('is never won with fewer than a majority, and always with one', () => {
    fc.assert(
      fc.property(someAnswers, (answers) => {
        expect(outcomeOf(answers).kind === 'won').toBe(2 * count(answers, 'yes') > answers.length);
      }),
    );
  });

  it('is unreachable only when fewer than a majority answered', () => {
    fc.assert(
      fc.property(someAnswers, (answers) => {
        const few = 2 * count(answers, 'yes', 'stale', 'held') <= answers.length;
        expect(outcomeOf(answers).kind === 'unreachable').toBe(few);
      }),
    );
  });

  it('tells the highest fence, and how long the other has a majority at least', () => {
    expect(outcomeOf([stale(5), stale(9), YES]).above).toBe(9);
    expect(outcomeOf([held('a', 300), held('a', 100), held('a', 200)]).remainingMs).toBe(200);
    expect(outcomeOf([held('a', 300), held('a', 100), YES]).remainingMs).toBe(100);
    expect(outcomeOf([held('a', 300), held('b', 100), YES]).remainingMs).toBe(-1);
  });
});

describe('a decision', () => {
  it('agrees with every way in which the open answers may come', () => {
    const rest = [YES, held('a'), FAILED];
    fc.assert(
      fc.property(fc.array(anAnswer, { minLength: 1, maxLength: 5 }), (answers) => {
        const open = answers.flatMap((one, i) => (one.state === 'pending' ? [i] : []));
        const ends = Array.from({ length: rest.length ** open.length }, (_, n) => {
          const end = [...answers];
          for (const [k, i] of open.entries())
            end[i] = rest[Math.floor(n / rest.length ** k) % rest.length] ?? FAILED;
          return 2 * count(end, 'yes') > end.length;
        });
        const known = ends.every((won) => won === ends[0]) ? ends[0] : undefined;
        expect(verdict(answers, isYes)).toBe(known);
      }),
    );
  });

  it('to stop waiting is only taken when it is certain, and a majority has spoken or cannot', () => {
    fc.assert(
      fc.property(someAnswers, (answers) => {
        const open = count(answers, 'pending');
        const spoken = count(answers, 'yes', 'stale', 'held');
        const majority = majorityOf(answers.length);
        const certain = verdict(answers, isYes);
        const final = spoken >= majority || spoken + open < majority;
        expect(isDecided(answers, isYes)).toBe(certain === true || (certain === false && final));
        if (open === 0) expect(isDecided(answers, isYes)).toBe(true);
      }),
    );
  });

  it.each<[string, boolean, Answer<Vote>[]]>([
    ['a node that fails at once does not end it', false, [FAILED, held('a'), PENDING]],
    ['nor does the first answer of two', false, [held('a'), PENDING]],
    ['nor do two of four', false, [held('a'), held('a'), PENDING, PENDING]],
    ['two that fail do', true, [FAILED, FAILED, PENDING]],
    ['two that refuse do', true, [held('a'), held('b'), PENDING]],
  ])('%s', (_, decided, answers) => {
    expect(isDecided(answers, isYes)).toBe(decided);
  });
});

describe('a standing', () => {
  it('is the place at a majority', () => {
    const votes = (...ranks: number[]) => ranks.map((rank) => ({ rank, isNew: rank === 0 }));
    expect(standingOf(votes(0, 3, 7), 3)).toEqual({ rank: 3, isNew: false });
    expect(standingOf(votes(0, 0, 7), 3)).toEqual({ rank: 0, isNew: true });
    expect(standingOf([], 3)).toEqual({ rank: 0, isNew: false });
  });
});

describe('stamps', () => {
  const clock = { at: 0, now: () => clock.at };

  it('strictly grow, and are above what they have to be above', () => {
    const step = fc.record({
      passMs: fc.integer({ min: 0, max: 5_000 }),
      above: fc.integer({ min: 0, max: 2e15 }),
      node: fc.integer({ min: 0, max: 4 }),
      clockUs: fc.integer({ min: 0, max: 2e15 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const stamps = new Stamps(clock, 3);
        let last = 0;
        for (const { passMs, above, node, clockUs } of steps) {
          stamps.learn(node, clockUs, clock.at);
          clock.at += passMs;
          const next = stamps.next(above);
          expect(next).toBeGreaterThan(Math.max(last, above));
          expect(Number.isSafeInteger(next)).toBe(true);
          last = next;
        }
      }),
    );
  });

  it('are not moved by a minority of wrong clocks, nor ever ahead of the right ones', () => {
    const nowUs = 1.8e15;
    fc.assert(
      fc.property(
        fc.constantFrom(3, 4, 5, 7),
        fc.array(fc.integer({ min: -1e14, max: 1e14 }), { minLength: 3, maxLength: 3 }),
        fc.integer({ min: 0, max: 1_000 }),
        fc.integer({ min: 0, max: 6 }),
        (nodes, offUs, passMs, first) => {
          const stamps = new Stamps(clock, majorityOf(nodes));
          const wrong = nodes - majorityOf(nodes);
          for (let i = 0; i < nodes; i++) {
            const isWrong = (i + first) % nodes < wrong;
            stamps.learn(i, nowUs + (isWrong ? (offUs[i % 3] ?? 0) : 0), clock.at);
          }
          clock.at += passMs;
          const stamp = stamps.next(0);
          expect(stamp).toBeLessThanOrEqual(nowUs + passMs * 1_000);
          expect(stamp).toBeGreaterThanOrEqual(nowUs + passMs * 998);
        },
      ),
    );
  });

  it('are fresh while a majority of the clocks was read within a second', () => {
    const stamps = new Stamps(clock, 2);
    expect(stamps.fresh).toBe(false);
    stamps.learn(0, 1, clock.at);
    expect(stamps.fresh).toBe(false);
    clock.at += 600;
    stamps.learn(1, 1, clock.at);
    expect(stamps.fresh).toBe(true);
    clock.at += 600;
    expect(stamps.fresh).toBe(false);
  });
});

describe('a state', () => {
  const lock = (changes: Partial<LockState>): LockState => ({
    ...{
      state: 'ours',
      clientId: 'a',
      remainingMs: 100,
      fencingToken: 5,
      queueLength: 0,
      waiters: [],
      serverUs: 1,
    },
    ...changes,
  });
  const free = lock({ state: 'free', clientId: '', remainingMs: -2 });

  it.each<[string, Partial<LockState>, LockState[]]>([
    [
      'two of three',
      { state: 'ours', clientId: 'a', fencingToken: 5, remainingMs: 100 },
      [lock({}), free, lock({})],
    ],
    ['one of three', { state: 'free', clientId: '' }, [lock({}), free, free]],
    ['one each', { state: 'free' }, [lock({}), lock({ clientId: 'b', fencingToken: 6 }), free]],
    ['different tokens of one', { state: 'free' }, [lock({}), lock({ fencingToken: 6 })]],
    ['kept for a waiter', { state: 'free' }, [lock({ fencingToken: 0 }), lock({ fencingToken: 0 }), free]],
    [
      'the time of a majority',
      { remainingMs: 80 },
      [lock({ remainingMs: 80 }), lock({ remainingMs: 10 }), lock({})],
    ],
    [
      'the queue in the middle',
      { queueLength: 1 },
      [lock({ queueLength: 4 }), lock({}), lock({ queueLength: 1 })],
    ],
    [
      'the last token, when free',
      { state: 'free', fencingToken: 9 },
      [free, lock({ ...free, fencingToken: 9 }), free],
    ],
  ])('of %s', (_, state, states) => {
    expect(majorityState(states, majorityOf(3))).toMatchObject(state);
  });
});

describe('who is in the way', () => {
  it('is who holds at a majority', () => {
    expect(holdersByMajority([['a'], ['a'], ['a']], 3)).toEqual(['a']);
    expect(holdersByMajority([['a', 'b'], ['a'], ['b']], 3)).toEqual(['a', 'b']);
    expect(holdersByMajority([['a', 'c'], ['a'], ['a']], 3)).toEqual(['a']);
    expect(holdersByMajority([[], [], []], 3)).toEqual([]);
    expect(holdersByMajority([['a'], ['a']], 3)).toEqual(['a']);
  });

  it('is not known where a silent node may make the majority of another one, or too few answer', () => {
    expect(holdersByMajority([['a', 'b'], ['a']], 3)).toBeUndefined();
    expect(holdersByMajority([['a'], ['b'], []], 3)).toBeUndefined();
    expect(holdersByMajority([['a']], 3)).toBeUndefined();
    expect(holdersByMajority([[], ['a']], 3)).toBeUndefined();
  });
});
