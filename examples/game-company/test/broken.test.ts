import { expect, test } from 'vitest';
import { broken, type Guarded, type Result } from '../src/result.ts';

const GOOD: Guarded = {
  calls: 100,
  refused: 0,
  acceptedPerSecond: 50,
  mostAtOnce: [5],
  highest: 5,
  accountsOverLimit: 0,
  tookMs: 2_000,
  busy: 10,
  busyMedianMs: 1,
  busyP99Ms: 2,
  lost: 0,
};
const ENDS = { earliest: 1_980, latest: 1_984 };
const DEAD = { account: 3, seats: 2, endsMs: ENDS, lastSeenMs: 1_970, backAfterMs: 2_003, callsMeanwhile: 9 };

function result(changed: { [K in keyof Result]?: Partial<Result[K]> } = {}): Result {
  const killed = { ...GOOD, ttlMs: 2_000, brokenOff: 1, dead: [DEAD], callsMeanwhile: 40 };
  return {
    server: 'Redis 7.0.15',
    processes: 4,
    tasks: 200,
    accounts: 20,
    limit: 5,
    withoutSemaphore: { ...GOOD, highest: 17, refused: 50 },
    withSemaphore: { ...GOOD, ...changed.withSemaphore },
    killed: { ...killed, ...changed.killed },
    ending: { accounts: 20, held: 0, acquirable: 20, ...changed.ending },
    tookMs: 9_000,
  };
}

test('a run as it should be has nothing to complain of, however bad it was without a semaphore', () => {
  expect(broken(result())).toBeUndefined();
});

test.each([
  ['six calls at once', { withSemaphore: { highest: 6 } }, /6 calls of one account ran at once/],
  ['a refused call', { withSemaphore: { refused: 1 } }, /1 calls were refused/],
  ['six calls at once after the kill', { killed: { highest: 6 } }, /6 calls of one account ran at once/],
  ['a dead seat that is free early', { killed: { dead: [{ ...DEAD, backAfterMs: 1_960 }] } }, /before its/],
  ['no dead seat at all', { killed: { dead: [] } }, /before anybody could look/],
  [
    'a dead seat that is taken for too long',
    { killed: { dead: [{ ...DEAD, lastSeenMs: 2_000 }] } },
    /still taken/,
  ],
  ['a permit held at the end', { ending: { held: 1 } }, /1 permits were still held/],
  ['a permit that cannot be had', { ending: { acquirable: 19 } }, /only of 19 accounts/],
])('%s is noticed', (_, changed, sentence) => {
  expect(broken(result(changed))).toMatch(sentence);
});
