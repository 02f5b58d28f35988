import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openHistory, readHistory } from '../src/history.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-'));
afterAll(() => rmSync(folder, { recursive: true }));
const types = (files: string[]) => readHistory(files).map(({ type }) => type);

test('the histories of several writers are merged by time', () => {
  const files = [join(folder, 'a'), join(folder, 'b')];
  const [a, b] = files.map(openHistory);
  a?.record({ type: 'first', fence: 12n });
  b?.record({ type: 'second', nested: { by: 'b' } });
  a?.record({ type: 'third' });
  const events = readHistory(files);
  expect(events).toMatchObject([
    { type: 'first', fence: '12' },
    { type: 'second', nested: { by: 'b' } },
    { type: 'third' },
  ]);
  expect(events.every(({ t }) => typeof t === 'bigint')).toBe(true);
  for (const one of [a, b]) one?.close();
});

test('a torn last line is left out, and cut off by the next writer', () => {
  const file = join(folder, 'torn');
  openHistory(file).record({ type: 'whole' });
  appendFileSync(file, '{"t":"12","type":"to');
  expect(types([file])).toEqual(['whole']);
  openHistory(file).record({ type: 'next' });
  expect(types([file])).toEqual(['whole', 'next']);
});

test('an unreadable line elsewhere is an error that names the line', () => {
  const file = join(folder, 'broken');
  appendFileSync(file, '{"t":"1","type":"fine"}\nnot json\n{"t":"2","type":"fine"}\n');
  expect(() => readHistory([file])).toThrow(`${file}:2 is not an event: not json`);
});
