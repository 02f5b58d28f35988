import { expect, test } from 'vitest';
import { helpText, readArguments } from '../src/arguments.ts';
import { parts } from '../src/parts.ts';

const ids = (...args: string[]) => readArguments(args, parts).parts.map(({ id }) => id);

test('without --only every part runs but those that are to be named', () => {
  expect(ids()).toEqual(['uncontended', 'hot-lock', 'hand-off', 'semaphore']);
});

test('--only names parts, once or several times', () => {
  expect(ids('--only', 'quorum', '--only', 'hot-lock')).toEqual(['quorum', 'hot-lock']);
  expect(() => ids('--only', 'lunch')).toThrow('expected one of uncontended, hot-lock');
});

test('each contender runs for five seconds, one in a quick run, or as long as is asked for', () => {
  expect(readArguments([], parts)).toMatchObject({ seconds: 5, holdMs: 2 });
  expect(readArguments(['--quick'], parts)).toMatchObject({ seconds: 1 });
  expect(readArguments(['--quick', '--seconds', '3', '--hold-ms', '0'], parts)).toMatchObject({
    seconds: 3,
    holdMs: 0,
  });
  for (const bad of ['0', '', 'x', '601'])
    expect(() => readArguments(['--seconds', bad], parts)).toThrow('--seconds: expected a number from 0.1');
});

test('help lists every part', () => {
  for (const { id, what } of parts) expect(helpText(parts)).toContain(`${id.padEnd(12)} ${what}`);
});
