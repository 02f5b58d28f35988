/** What the contracts run on. One `Backend` per server; each `open()` stands for another process. */
import { afterAll, afterEach, beforeAll } from 'vitest';
import type { Holdfast, HoldfastOptions } from '../../src/index.ts';

export interface Backend {
  /** A new instance, with a client of its own where there is one. */
  open(options?: HoldfastOptions): Promise<Holdfast>;
  /** Called once, after all instances are closed. */
  end(): Promise<void>;
}

export const NAMES = [
  'plain',
  'with spaces and "quotes" and \'more\'',
  '{tagged}:name',
  'half{open',
  'half}closed',
  '{}empty{tag}',
  '}{',
  'a{b}c{d}',
  'nul\0and\nnewline\ttab',
  'emoji 🔒 and ümlaut',
  'holdfast:{plain}:queue:',
  '%s %d \\ $& `',
  'x'.repeat(512),
  '🔒'.repeat(128),
];

let names = 0;
/** A name that no other test uses. */
export const fresh = (what: string) => `${what}:${process.pid}:${names++}`;

export interface Opened {
  readonly here: Holdfast;
  readonly there: Holdfast;
}

/** Two instances for all tests of a suite, given to `ready`. Returns how to open another one, for a single test. */
export function withInstances(
  start: () => Promise<Backend>,
  ready: (opened: Opened) => void,
): (options?: HoldfastOptions) => Promise<Holdfast> {
  let backend: Backend;
  const lasting: Holdfast[] = [];
  const extra: Holdfast[] = [];
  const closeAll = (all: Holdfast[]) => Promise.all(all.splice(0).map((one) => one.close()));

  beforeAll(async () => {
    backend = await start();
    const [here, there] = [await backend.open(), await backend.open()];
    lasting.push(here, there);
    ready({ here, there });
  }, 60_000);
  afterEach(() => closeAll(extra));
  afterAll(async () => {
    await closeAll(lasting);
    await backend?.end();
  });

  return async (options) => {
    const one = await backend.open(options);
    extra.push(one);
    return one;
  };
}
