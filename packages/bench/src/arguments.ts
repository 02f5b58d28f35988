/** The command line of `npm run bench`. */
import { parseArgs } from 'node:util';
import type { Part, Settings } from './part.ts';

export interface Arguments extends Settings {
  readonly help: boolean;
  readonly json: boolean;
  readonly parts: readonly Part[];
}

/** Throws with a message for people. */
export function readArguments(args: string[], all: readonly Part[]): Arguments {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string', multiple: true, default: [] },
      quick: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
      'hold-ms': { type: 'string', default: '2' },
      seconds: { type: 'string' },
    },
  });
  const { quick, json, help } = values;
  return {
    quick,
    json,
    help,
    parts: chosen(values.only, all),
    holdMs: number('--hold-ms', values['hold-ms'], 0, 1_000),
    seconds: values.seconds === undefined ? (quick ? 1 : 5) : number('--seconds', values.seconds, 0.1, 600),
  };
}

function chosen(ids: readonly string[], all: readonly Part[]): readonly Part[] {
  if (ids.length === 0) return all.filter((part) => !part.onlyByName);
  return ids.map((id) => {
    const part = all.find((one) => one.id === id);
    if (part === undefined)
      throw new Error(`--only: expected one of ${all.map((one) => one.id).join(', ')}, got ${id}`);
    return part;
  });
}

function number(option: string, text: string, min: number, max: number): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (!(value >= min && value <= max))
    throw new Error(`${option}: expected a number from ${min} to ${max}, got ${text}`);
  return value;
}

export function helpText(all: readonly Part[]): string {
  const lines = all.map(
    ({ id, what, onlyByName }) =>
      `              ${id.padEnd(12)} ${what}${onlyByName ? '; only by name' : ''}`,
  );
  return `npm run bench [-- --only PART] [-- --quick] [-- --json]

Measures Holdfast against the bare commands on servers of its own, about 45 seconds.
  --only PART one part; may be given several times. Without it, all that are not marked
${lines.join('\n')}
  --quick     a smoke run of a few seconds; its figures are noise
  --json      the figures as one JSON document
For the contended lock of quorum:
  --seconds N how long each contender runs; default 5, with --quick 1
  --hold-ms N how long each holder keeps the lock; default 2`;
}
