import { expect, test } from 'vitest';
import { keySlot, splitSlots } from '../src/slots.ts';
import { startServer } from '../src/start-server.ts';

test('the slot of a key is the one the server gives it', async () => {
  await using server = await startServer({ lines: ['cluster-enabled yes'] });
  const keys = [
    '',
    'a',
    '123456789',
    '{user}.x',
    'x{user}',
    '{}.x',
    '{{a}}b',
    'a{b',
    '}{c}',
    'ключ',
    '{a}{b}',
  ];
  const slots = await server.pipeline(keys.map((key) => ['CLUSTER', 'KEYSLOT', key]));
  expect(keys.map(keySlot)).toEqual(slots);
});

test('masters share all slots', () => {
  expect(splitSlots(3)).toEqual([
    { from: 0, to: 5460 },
    { from: 5461, to: 10922 },
    { from: 10923, to: 16383 },
  ]);
});
