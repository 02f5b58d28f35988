/** Each check finds what it is for, and nothing else: on histories that are right but for one thing. */
import { describe, expect, it } from 'vitest';
import { verdictOn } from '../src/check/verdict.ts';
import { event, late, life, ns, seen, strike, write } from './history.ts';

const checks = (...events: Parameters<typeof seen>[0]) =>
  verdictOn(seen(events), { ordered: true }).violations.map(({ check }) => check);

const A = { id: 'A', got: 10, token: 1 };
const B = { id: 'B', got: 60, token: 2, pid: 2 };

describe('C1, exclusion', () => {
  it('accepts one after the other', () => {
    expect(checks(life({ ...A, released: 50 }), life({ ...B, released: 80 }))).toEqual([]);
  });

  it('finds two holders', () => {
    expect(checks(life({ ...A, released: 70 }), life({ ...B, released: 80 }))).toEqual(['C1']);
  });

  it('counts a lease until it was told lost, or until its validity ended', () => {
    expect(checks(life({ ...A, validMs: 48, lost: 55, released: 90 }), life({ ...B, released: 80 }))).toEqual(
      [],
    );
    expect(checks(life({ ...A, validMs: 45, lost: 56, released: 90 }), life({ ...B, released: 80 }))).toEqual(
      [],
    );
  });

  it('counts a renewed lease on', () => {
    const renewed = event(50, 'renewed', { id: 'A', until: ns(250) });
    const found = checks(life({ ...A, validMs: 45, released: 90 }), renewed, life({ ...B, released: 80 }));
    expect(found).toEqual(['C1']);
  });

  it('does not count on what was renewed when it was over already', () => {
    const late = event(88, 'renewed', { id: 'A', until: ns(88) });
    expect(
      checks(life({ ...A, validMs: 45, lost: 87, released: 90 }), late, life({ ...B, released: 80 })),
    ).toEqual([]);
  });

  it('counts nothing of a lease that was over before its holder had written down that it has it', () => {
    const stopped = life({ ...A, asked: 5, got: 60, validMs: -15, lost: 61, released: 90, outcome: 'lost' });
    expect(checks(stopped, life({ ...B, got: 50, released: 80 }))).toEqual([]);
  });

  it('sums the permits of a semaphore', () => {
    const both = [life({ ...A, permits: 2, released: 70 }), life({ ...B, permits: 2, released: 80 })];
    const slots = (events: typeof both) =>
      events.flat().map((one) => (one.type === 'got' ? { ...one, slots: [] } : one));
    expect(verdictOn(seen(slots(both), 4)).violations).toEqual([]);
    expect(verdictOn(seen(slots(both), 3)).violations.map(({ check }) => check)).toEqual(['C1']);
  });

  it('does not blame a lock whose server had lost its data in between', () => {
    const flush = strike(55, 56, { erasing: true });
    const { violations, explained } = verdictOn(
      seen([life({ ...A, released: 70 }), flush, life({ ...B, released: 80 })]),
    );
    expect(violations).toEqual([]);
    expect(explained.map(({ check }) => check)).toEqual(['C1']);
  });

  it('blames it when the data were lost at another time', () => {
    const flush = strike(300, 301, { erasing: true });
    expect(checks(life({ ...A, released: 70 }), life({ ...B, released: 80 }), flush)).toEqual(['C1']);
  });
});

describe('C2, the resource', () => {
  const leases = [life({ ...A, validMs: 40, lost: 50, released: 90 }), life({ ...B, released: 80 })];

  it('accepts work in turn, and a refused late write', () => {
    const writes = [write(11, 'A', 1), write(61, 'B', 2), write(70, 'A', 1, false)];
    expect(checks(...leases, ...writes)).toEqual([]);
  });

  it('finds a late write that was accepted', () => {
    expect(checks(...leases, write(11, 'A', 1), write(61, 'B', 2), write(70, 'A', 1))).toEqual(['C2']);
  });

  it('finds a write after another’s, even without an order of tokens', () => {
    expect(checks(...leases, write(11, 'A', 2), write(61, 'B', 2), write(70, 'A', 2))).toEqual(['C2']);
  });

  it('finds a holder that was refused', () => {
    expect(checks(...leases, write(61, 'B', 2, false))).toEqual(['C2']);
  });
});

describe('C3, tokens', () => {
  it('finds a later grant with a lower token', () => {
    expect(checks(life({ ...A, token: 5, released: 50 }), life({ ...B, token: 4, released: 80 }))).toEqual([
      'C3',
    ]);
  });

  it('does not blame two masters at once, as in a fail-over, but one that came back without its data', () => {
    const failOver = strike(1, 200, { erasing: true });
    const [first, second] = [life({ ...A, token: 5, released: 50 }), life({ ...B, token: 4, released: 80 })];
    expect(checks(first, failOver, second)).toEqual([]);
    const much = life({ ...B, asked: 150, got: 160, token: 4, released: 180 });
    expect(checks(first, failOver, much)).toEqual(['C3']);
    const holdsOn = life({ ...A, token: 5, released: 170 });
    expect(checks(holdsOn, failOver, much)).toEqual(['C3']);
  });

  it('finds two leases with one token', () => {
    // Asked for at the same time: their order says nothing.
    const found = checks(
      life({ ...A, asked: 1, token: 5, released: 50 }),
      life({ ...B, asked: 2, token: 5, released: 80 }),
    );
    expect(found).toEqual(['C3']);
  });

  it('says nothing about leases that were asked for at the same time', () => {
    const pair = [
      life({ ...A, asked: 1, token: 5, released: 50 }),
      life({ ...B, asked: 2, token: 4, released: 80 }),
    ];
    expect(checks(...pair)).toEqual([]);
  });
});

describe('C4, being told', () => {
  const long = { ...A, validMs: 100 };

  it('allows 50 ms', () => {
    expect(checks(life({ ...long, lost: 159, released: 300 }))).toEqual([]);
    expect(checks(life({ ...long, lost: 161, released: 300 }))).toEqual(['C4']);
  });

  it('allows as much after a time in which the process did not run', () => {
    expect(checks(life({ ...long, lost: 440, released: 450 }), late(50, 400))).toEqual([]);
    expect(checks(life({ ...long, lost: 460, released: 470 }), late(50, 400))).toEqual(['C4']);
  });

  it('finds a lease that nobody was told of', () => {
    expect(checks(life({ ...long, released: 300 }))).toEqual(['C4']);
    expect(checks(life(long))).toEqual(['C4']);
  });

  it('expects nothing of the dead', () => {
    expect(checks(life(long), strike(50, 51, { pid: 1, killed: true }))).toEqual([]);
  });
});

describe('C5, a lease that is gone although valid', () => {
  it('finds it by the answer to the release', () => {
    expect(checks(life({ ...A, released: 50, outcome: 'lost' }))).toEqual(['C5']);
  });

  it('finds it by the signal', () => {
    expect(checks(life({ ...A, lost: 50, reason: 'lost', released: 60 }))).toEqual(['C5']);
  });

  it('does not mind an end by its own clock', () => {
    expect(checks(life({ ...A, validMs: 40, lost: 50, released: 80, outcome: 'expired' }))).toEqual([]);
  });

  it('does not mind that its timer comes a little before it has to, and not much', () => {
    const ended = { ...A, validMs: 50, reason: 'expired', outcome: 'expired' };
    expect(checks(life({ ...ended, lost: 57, released: 58 }))).toEqual([]);
    expect(checks(life({ ...ended, lost: 50, released: 58 }))).toEqual(['C5']);
    expect(checks(life({ ...ended, lost: 57, released: 58, outcome: 'lost' }))).toEqual(['C5']);
    expect(checks(life({ ...ended, lost: 57, released: 61, outcome: 'lost' }))).toEqual([]);
  });
});

describe('C6, a free lock that somebody waits for', () => {
  it('allows 250 ms', () => {
    expect(checks(life({ ...A, asked: 1, got: 250, released: 260 }))).toEqual([]);
    expect(checks(life({ ...A, asked: 1, got: 260, released: 270 }))).toEqual(['C6']);
  });

  it('allows a lease more after a kill', () => {
    const killed = strike(2, 3, { pid: 2, killed: true, graceMs: 200 });
    expect(checks(life({ ...A, asked: 1, got: 440, released: 450 }), killed)).toEqual([]);
    expect(checks(life({ ...A, asked: 1, got: 460, released: 470 }), killed)).toEqual(['C6']);
  });

  it('does not count the time in which a process did not run', () => {
    expect(checks(life({ ...A, asked: 1, got: 330, released: 340 }), late(5, 95))).toEqual([]);
  });

  it('finds a waiter that was never served', () => {
    const asked = event(10, 'ask', { id: 'A', name: 'a', how: 'wait', permits: 1 });
    expect(checks(asked, event(500, 'closed'))).toEqual(['C6']);
  });

  it('does not expect anything for who does not wait', () => {
    const asked = event(10, 'ask', { id: 'A', name: 'a', how: 'try', permits: 1 });
    expect(checks(asked, event(500, 'closed'))).toEqual([]);
  });
});

describe('C7, arrival order', () => {
  const first = { ...A, asked: 1, queued: 3 };

  it('finds who was served before somebody that stood in the queue when it asked', () => {
    expect(
      checks(
        life({ ...first, token: 2, got: 60, released: 70 }),
        life({ ...B, asked: 5, got: 20, token: 1, released: 30 }),
      ),
    ).toEqual(['C7']);
  });

  it('says nothing where the order of arrival is not known', () => {
    expect(
      checks(
        life({ ...first, token: 2, got: 60, released: 70 }),
        life({ ...B, asked: 2, got: 20, token: 1, released: 30 }),
      ),
    ).toEqual([]);
  });
});

describe('C9, what a process itself found', () => {
  it('is passed on', () => {
    expect(
      checks(event(1, 'fault', { what: 'unhandled rejection' }), event(2, 'stuck', { what: 'release' })),
    ).toEqual(['C9', 'C9']);
  });
});
