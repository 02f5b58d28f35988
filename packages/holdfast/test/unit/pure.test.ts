/** The pure decisions, at their edges. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoffBefore, backoffMs } from '../../src/backoff.ts';
import { parseMessage } from '../../src/store/store.ts';
import { driftMs, handedOffAt, leaseToCover, validUntil } from '../../src/validity.ts';
import { nextAskMs } from '../../src/waiting/asking.ts';

describe('validity', () => {
  it('is shorter than the lease, counted from before the request, for any lease', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1e9, noNaN: true }),
        fc.integer({ min: 1, max: 86_400_000 }),
        (at, lease) => {
          const until = validUntil(at, lease);
          expect(until).toBeLessThan(at + lease);
          expect(until).toBeGreaterThan(at);
        },
      ),
    );
  });

  it('allows a thousandth and a millisecond for drift, and never more than a tenth', () => {
    expect(driftMs(10_000)).toBe(11);
    expect(driftMs(1)).toBe(0.1);
  });

  it('a lease made to cover a time covers it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 80_000_000 }), (ms) => {
        expect(validUntil(0, leaseToCover(ms))).toBeGreaterThanOrEqual(ms);
      }),
    );
  });

  it('of a handed-off lease never begins after it did on the server, nor after the message came', () => {
    const times = fc.record({
      asked: fc.integer({ min: 0, max: 1e9 }),
      toServerMs: fc.integer({ min: 0, max: 500 }),
      waitMs: fc.integer({ min: 0, max: 3_600_000 }),
      toUsMs: fc.integer({ min: 0, max: 500 }),
      /** The server's clock runs this much slower or faster than ours. */
      rate: fc.double({ min: -0.0005, max: 0.0005, noNaN: true }),
      serverClock: fc.integer({ min: 1e15, max: 2e15 }),
    });
    fc.assert(
      fc.property(times, ({ asked, toServerMs, waitMs, toUsMs, rate, serverClock }) => {
        const began = asked + toServerMs + waitMs;
        const startedUs = serverClock + Math.floor(waitMs * 1000 * (1 + rate));
        const at = handedOffAt({ ours: asked, serverUs: serverClock }, startedUs, began + toUsMs, asked);
        expect(at).toBeLessThanOrEqual(began + 0.001);
      }),
    );
  });

  it('does not believe a server clock that stepped forward by an hour', () => {
    const arrived = 1_000;
    expect(handedOffAt({ ours: 0, serverUs: 1e15 }, 1e15 + 3_600_000_000, arrived, 0)).toBe(arrived);
  });

  it('of a lease that began before the last ask counts backwards from there, for any delay', () => {
    const times = fc.record({
      began: fc.integer({ min: 1_000, max: 1e9 }),
      askedLaterMs: fc.integer({ min: 0, max: 3_600_000 }),
      toServerMs: fc.integer({ min: 0, max: 500 }),
      rate: fc.double({ min: -0.0005, max: 0.0005, noNaN: true }),
      serverClock: fc.integer({ min: 1e15, max: 2e15 }),
    });
    fc.assert(
      fc.property(times, ({ began, askedLaterMs, toServerMs, rate, serverClock }) => {
        const ours = began + askedLaterMs;
        const serverUs = serverClock + Math.ceil((askedLaterMs + toServerMs) * 1000 * (1 + rate));
        const at = handedOffAt({ ours, serverUs }, serverClock, ours + 1_000, 0);
        expect(at).toBeLessThanOrEqual(began + 0.001);
      }),
    );
  });

  it('takes a server clock that stepped back, or none known, for the earliest that can be', () => {
    expect(handedOffAt({ ours: 70_000, serverUs: 1e15 }, 1e15 - 80_000_000, 71_000, 5)).toBe(5);
    expect(handedOffAt(undefined, 1e15, 71_000, 5)).toBe(5);
  });
});

describe('backoff', () => {
  it('grows, has a bound, and is between half and the whole', () => {
    const range = { firstMs: 10, maxMs: 250 };
    expect([0, 1, 2, 10, 1_000].map((n) => backoffMs(n, range, 1))).toEqual([10, 20, 40, 250, 250]);
    expect(backoffMs(0, range, 0)).toBe(5);
  });

  it('uses a wait to near its end', () => {
    const range = { firstMs: 10, maxMs: 250 };
    expect(backoffBefore(300, 10, range, 1)).toBe(250);
    expect(backoffBefore(250, 10, range, 1)).toBe(125);
    expect(backoffBefore(99, 10, range, 1)).toBeUndefined();
    expect(backoffBefore(50, 0, range, 1)).toBe(10);
  });
});

describe('asking again', () => {
  const strange = [-1, -2, -1_000, Number.NEGATIVE_INFINITY];
  const huge = [86_400_000, 2 ** 53, Number.POSITIVE_INFINITY];

  it.each([...strange, ...huge, 0, 1])(
    'a remaining time of %d is neither for ever nor at once [22]',
    (remainingMs) => {
      for (const rank of [0, 1, 10_000]) {
        for (const foreign of [true, false]) {
          const delay = nextAskMs({ remainingMs, foreign, rank }, 0, 0.5);
          expect(delay).toBeGreaterThanOrEqual(2);
          expect(delay).toBeLessThanOrEqual(20_002);
        }
      }
    },
  );

  it('the front asks right after the expiry', () => {
    expect(nextAskMs({ remainingMs: 300, foreign: false, rank: 0 }, 0, 0.5)).toBe(302);
  });

  it('a foreign holder is looked at more and more seldom, four times a second at the least', () => {
    const delays = [0, 1, 2, 3, 20].map((round) =>
      nextAskMs({ remainingMs: 9_000, foreign: true, rank: 0 }, round, 1),
    );
    expect(delays).toEqual([5, 10, 20, 40, 250]);
  });
});

describe('grant messages', () => {
  it('anything else is not one, whatever it is', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => void parseMessage(text)));
    for (const text of [
      '',
      'a b c d',
      'x 1 2',
      'x 1 2 3 4 5',
      `x ${'9'.repeat(17)} 1 1`,
      'x ask 1',
      'x 1 2 3 ,',
      'y'.repeat(9_000),
    ]) {
      expect(parseMessage(text)).toBeUndefined();
    }
  });

  it('a good one is read', () => {
    const grant = { holderId: 'hf1-x.y', fencingToken: 12, startedUs: 34, leaseMs: 56 };
    expect(parseMessage('hf1-x.y 12 34 56')).toEqual({ kind: 'grant', grant });
    const withSlots = { kind: 'grant', grant: { ...grant, slots: [0, 7] } };
    expect(parseMessage('hf1-x.y 12 34 56 0,7')).toEqual(withSlots);
    expect(parseMessage('hf1-x.y ask')).toEqual({ kind: 'ask', holderId: 'hf1-x.y' });
  });
});
