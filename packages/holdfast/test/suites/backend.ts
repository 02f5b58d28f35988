/** What the contracts run on. One `Backend` per server; each `open()` stands for another process. */
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
