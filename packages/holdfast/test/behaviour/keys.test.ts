/** Which keys belong to a name: properties, with names made to look like keys. Replay a failure with the seed that it prints. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { keySlot as kitSlot, type RedisProcess, startServer } from '../../../testkit/src/index.ts';
import { checkedPrefix } from '../../src/adapters/client-error.ts';
import {
  grantChannel,
  type KeyRules,
  lockKeys,
  processKey,
  readWriteKeys,
  semaphoreKeys,
} from '../../src/keys.ts';
import { checkName, checkPrefix } from '../../src/options.ts';
import { hashTag, keySlot, tagOfSlot } from '../../src/slot.ts';

/** What keys are made of, so that names look like keys of other names, or nearly. */
const PIECES = [
  'holdfast:',
  'holdfast',
  ':',
  '{',
  '}',
  '{}',
  'name:',
  'fence:',
  ':fence:',
  ':queue:',
  ':waiters:',
  ':turns:',
  'process:',
  'grants:',
  'a',
  'b',
  '0',
  '7',
  ' ',
  '\0',
  '\n',
  'ü',
  '🔒',
];
const pieces = fc
  .array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 9 })
  .map((parts) => parts.join(''));
const name = fc.oneof(
  { weight: 3, arbitrary: pieces },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }) },
);
/** One name, and one made of its keys or of a part of it. */
const twoNames = fc
  .tuple(
    name,
    name,
    fc.constantFrom(
      'other',
      'its fence',
      'its queue',
      'its waiters',
      'its turns',
      'its lock',
      'braced',
      'longer',
      'moved',
    ),
  )
  .map(([one, other, how]) => {
    const keys = lockKeys(one, { prefix: '', clientPrefix: '' });
    const made: Record<string, string> = {
      other,
      'its fence': keys.fence,
      'its queue': keys.queue,
      'its waiters': semaphoreKeys(one, { prefix: '', clientPrefix: '' }).waiters,
      'its turns': readWriteKeys(one, { prefix: '', clientPrefix: '' }).turns,
      'its lock': keys.lock,
      braced: `{${one}}`,
      longer: one + other,
      moved: `holdfast:name:${one}`,
    };
    return [one, made[how] ?? other] as const;
  })
  .filter(([one, other]) => one !== other);
const word = fc.stringMatching(/^[\w./-]{1,12}$/);
const prefix = fc
  .oneof(
    fc.constant(undefined),
    word,
    word.map((tag) => `{${tag}}`),
    fc.tuple(word, word, word).map(([a, b, c]) => `${a}{${b}}${c}`),
    fc.constant('holdfast'),
  )
  .map((text) => checkPrefix(text));
/** What a client may put in front, as `checkedPrefix` lets it through. */
const clientPrefix = fc.constantFrom(...['', '', 'app:', '{app}:', 'a{b}c:{}', 'x}'].map(checkedPrefix));
const rules: fc.Arbitrary<KeyRules> = fc.record({ prefix, clientPrefix });

/** Of the lock, the semaphore and the read-write lock of that name, which share the first one. */
const keysOf = (name: string, rule: KeyRules) => {
  const { lock, fence, queue } = lockKeys(name, rule);
  const { permits, waiters } = semaphoreKeys(name, rule);
  const { leases, turns } = readWriteKeys(name, rule);
  expect([permits, leases]).toEqual([lock, lock]);
  return [lock, fence, queue, waiters, turns];
};
const shared = (one: readonly string[], other: readonly string[]) => one.filter((key) => other.includes(key));
const MANY = { numRuns: 5_000 };

describe('the keys of a name', () => {
  test('are five different ones, and no other name has any of them', () => {
    fc.assert(
      fc.property(twoNames, rules, ([one, other], rule) => {
        const [mine, others] = [keysOf(one, rule), keysOf(other, rule)];
        expect(new Set(mine).size).toBe(5);
        expect(shared(mine, others)).toEqual([]);
      }),
      MANY,
    );
  });

  test('are never the card of a process, which no name can reach', () => {
    fc.assert(
      fc.property(name, rules, fc.stringMatching(/^[\w-]{12}$/), (one, rule, clientId) => {
        const card = processKey(clientId, rule.prefix);
        const reaching = card.slice(rule.prefix.length);
        for (const candidate of [one, reaching, `${reaching}:`])
          expect(keysOf(candidate, rule)).not.toContain(card);
      }),
      MANY,
    );
  });

  test('never meet the keys of an instance with another prefix', () => {
    const differ = fc.tuple(prefix, prefix).filter(([p, q]) => p !== q && p !== '' && q !== '');
    fc.assert(
      fc.property(twoNames, differ, clientPrefix, ([one, other], [p, q], client) => {
        for (const second of [one, other, p + one, other.slice(0, 5)]) {
          const mine = keysOf(one, { prefix: p, clientPrefix: client });
          const others = keysOf(second || one, { prefix: q, clientPrefix: client });
          expect(shared(mine, others)).toEqual([]);
        }
      }),
      MANY,
    );
  });

  test('have the plain name as their lock key, behind the prefix, so that other libraries find it', () => {
    fc.assert(
      fc.property(name, rules, (one, rule) => {
        const { lock } = lockKeys(one, rule);
        const moved = one.startsWith('holdfast:');
        expect(lock).toBe(rule.prefix + (moved ? `holdfast:name:${one}` : one));
      }),
      MANY,
    );
  });

  test('share one slot, which is the slot of the lock key, with whatever the client puts in front', () => {
    fc.assert(
      fc.property(name, rules, (one, rule) => {
        const slots = keysOf(one, rule).map((key) => kitSlot(rule.clientPrefix + key));
        expect(new Set(slots).size).toBe(1);
      }),
      MANY,
    );
  });

  test('have their grants in the same slot, on a channel that says so', () => {
    fc.assert(
      fc.property(name, rules, (one, rule) => {
        const keys = lockKeys(one, rule);
        expect(kitSlot(grantChannel('client', keys.lock, rule, true))).toBe(
          kitSlot(rule.clientPrefix + keys.lock),
        );
        expect(grantChannel('client', keys.lock, rule, false)).not.toContain('client:');
      }),
      MANY,
    );
  });

  test('have exactly one hash tag before what they hold of the name, when there is no prefix with one', () => {
    fc.assert(
      fc.property(name, (one) => {
        const { lock, fence, queue } = lockKeys(one, { prefix: '', clientPrefix: '' });
        for (const key of [fence, queue]) {
          const own = key.endsWith(lock) ? key.slice(0, -lock.length) : key;
          expect(own.match(/\{[^}]+\}/g)).toHaveLength(1);
          expect(hashTag(key)).toBeDefined();
        }
      }),
      MANY,
    );
  });
});

describe('the slot of a key', () => {
  let server: RedisProcess;
  beforeAll(async () => {
    server = await startServer({ lines: ['cluster-enabled yes'] });
  });
  afterAll(async () => {
    await server.shutdown();
  });

  test('is the one that the server itself computes, for the keys of 1,000 names', async () => {
    const samples = fc.sample(fc.tuple(name, rules), { numRuns: 1_000, seed: 20 });
    const keys = samples.flatMap(([one, rule]) => keysOf(one, rule).map((key) => rule.clientPrefix + key));
    const slots = await server.pipeline(keys.map((key) => ['CLUSTER', 'KEYSLOT', key]));
    expect(keys.map(keySlot)).toEqual(slots);
  });

  test('of the tag for a slot is that slot, for all 16,384', () => {
    const tags = Array.from({ length: 16_384 }, (_, slot) => tagOfSlot(slot));
    expect(tags.findIndex((tag, slot) => kitSlot(tag) !== slot)).toBe(-1);
    expect(new Set(tags).size).toBe(16_384);
    expect(Math.max(...tags.map((tag) => tag.length))).toBeLessThanOrEqual(6);
  });
});

describe('a name', () => {
  test('may be any text of 1 to 512 bytes', () => {
    const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 600 });
    fc.assert(
      fc.property(text, (one) => {
        const fits = Buffer.byteLength(one) <= 512;
        if (fits) expect(checkName(one)).toBe(one);
        else expect(() => checkName(one)).toThrow(RangeError);
      }),
      MANY,
    );
    expect(checkName('é'.repeat(256))).toHaveLength(256);
    expect(() => checkName(`${'é'.repeat(256)}x`)).toThrow(/at most 512 bytes of UTF-8, got 513/);
  });

  test('with a lone surrogate anywhere is refused', () => {
    const surrogate = fc.integer({ min: 0xd800, max: 0xdfff }).map((code) => String.fromCharCode(code));
    fc.assert(
      fc.property(pieces, surrogate, pieces, (before, half, after) => {
        expect(() => checkName(before + half + after)).toThrow(TypeError);
      }),
    );
    expect(() => checkName('\ude00\ud83d')).toThrow(/lone surrogate/);
  });

  test('that is empty or no string is refused', () => {
    for (const wrong of [
      '',
      undefined,
      null,
      0,
      42n,
      true,
      Symbol('x'),
      {},
      ['a'],
      () => 'a',
      new String('a'),
    ])
      expect(() => checkName(wrong)).toThrow(TypeError);
  });
});

describe('a prefix', () => {
  test('ends where the name begins: none is the beginning of another one with its colon', () => {
    fc.assert(
      fc.property(prefix, prefix, (one, other) => {
        if (one === '' || other === '' || one === other) return;
        expect(one.startsWith(other)).toBe(false);
      }),
      MANY,
    );
  });

  test('with a colon inside, an open brace, an odd character or nothing in it is refused', () => {
    const odd = [
      '',
      ':',
      'a:b',
      'a:b:',
      '{',
      'a{',
      '}',
      '{}',
      '{a}{b}',
      '}{',
      'a b',
      'ü',
      'a\n',
      'x'.repeat(101),
    ];
    for (const wrong of odd) expect(() => checkPrefix(wrong), JSON.stringify(wrong)).toThrow(TypeError);
    for (const wrong of [null, 1, {}, []]) expect(() => checkPrefix(wrong as never)).toThrow(TypeError);
  });
});

test('a key prefix of the client that leaves no hash tag to the keys is refused', () => {
  for (const wrong of ['{', 'a{b', '{}', 'a{}b', '{}{a}', '}{'])
    expect(() => checkedPrefix(wrong), wrong).toThrow(/hash tag/);
});
