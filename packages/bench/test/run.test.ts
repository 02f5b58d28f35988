import { expect, test } from 'vitest';
import type { Part } from '../src/part.ts';
import { runParts } from '../src/run.ts';

const part = (id: string, run: Part['run']): Part => ({ id, what: `the ${id}`, run });
const sound = part('sound', async ({ progress }) => {
  progress('halfway');
  return [];
});
const broken = part('broken', async () => {
  throw new Error('no luck');
});

test('a part that breaks down says why and keeps nobody from running, and each is told of when it is over', async () => {
  const said: string[] = [];
  const settings = { quick: true, progress: (text: string) => void said.push(text) };
  const result = await runParts([broken, sound], settings, ({ parts }) =>
    said.push(parts.map(({ id }) => id).join()),
  );
  expect(said).toEqual(['the broken', 'broken', 'the sound', '  sound: halfway', 'sound']);
  expect(result.parts).toMatchObject([
    { id: 'broken', tables: [], failed: 'no luck' },
    { id: 'sound', tables: [] },
  ]);
  expect(result.parts[1]?.failed).toBeUndefined();
});
