/** The arrows of ARCHITECTURE.md, read from the imports: each layer knows only the ones it may. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const SRC = fileURLToPath(new URL('../src/', import.meta.url));
const PACKAGES = fileURLToPath(new URL('../../', import.meta.url));
const EXAMPLES = fileURLToPath(new URL('../../../examples/', import.meta.url));

const LEAVES = [
  ...['abort', 'backoff', 'clock', 'crypto', 'deadline', 'errors', 'events', 'failure', 'grant', 'holder-id'],
  ...[
    'guard',
    'keys',
    'options',
    'renewals',
    'slot',
    'validity',
    'waiting/asking',
    'lua/generated',
    'client',
  ],
];

/** What each layer may import besides the leaves, the lowest first. A folder's name stands for its files. */
const MAY: readonly (readonly [layer: string, may: readonly string[]])[] = [
  ['adapters', []],
  ['store', []],
  ['quorum', ['store']],
  ['memory', ['store/store']],
  ['engine', ['store/store']],
  ['watchdog', ['store/store']],
  ['introduction', ['engine']],
  ['cards', ['engine']],
  ['waiting', ['engine', 'store/store']],
  ['instance', ['engine', 'introduction', 'waiting']],
  ['hold', ['engine', 'watchdog', 'store/store']],
  ['lease', ['hold', 'watchdog']],
  ['semaphore-lease', ['hold', 'lease']],
  ['holding', ['engine', 'hold', 'lease']],
  ['use', ['holding']],
  ['deadlock', ['cards', 'engine', 'hold', 'store/store']],
  ['inspect', ['cards', 'deadlock', 'engine', 'store/store']],
  ['replication', ['engine', 'store/store']],
  ['acquisition', ['deadlock', 'engine', 'hold', 'replication', 'waiting', 'store/store']],
  ['cooldown', ['store/store']],
  ['lock', ['cooldown', 'instance', 'hold', 'holding', 'lease', 'acquisition', 'use', 'store/store']],
  [
    'semaphore',
    ['instance', 'hold', 'holding', 'semaphore-lease', 'acquisition', 'use', 'inspect', 'store/store'],
  ],
  ['lease-set', ['lease', 'watchdog']],
  [
    'lock-set',
    ['instance', 'hold', 'holding', 'lease', 'lease-set', 'lock', 'semaphore', 'acquisition', 'use'],
  ],
  ['read-write-lease', ['instance', 'hold', 'holding', 'lease', 'acquisition', 'store/store']],
  ['read-write', ['instance', 'holding', 'read-write-lease', 'acquisition', 'use', 'inspect', 'store/store']],
  [
    'holdfast',
    [
      ...['adapters/recognise', 'engine', 'instance', 'lock', 'lock-set', 'read-write', 'semaphore'],
      ...['waiting', 'inspect', 'introduction', 'memory', 'quorum', 'store'],
    ],
  ],
  [
    'index',
    [
      ...['adapters', 'cards', 'holdfast', 'lease', 'lease-set', 'lock', 'lock-set', 'read-write'],
      ...['read-write-lease', 'semaphore', 'inspect', 'semaphore-lease', 'memory', 'watchdog'],
    ],
  ],
];

interface File {
  readonly module: string;
  readonly imports: readonly string[];
}

function sources(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return entries.filter(
    (file) => file.endsWith('.ts') && !file.includes('node_modules') && !file.includes('dist'),
  );
}

function specifiers(text: string): string[] {
  return [...text.matchAll(/(?:^|\s)(?:from|import)\s*\(?'([^']+)'/g)].map((match) => match[1] ?? '');
}

function read(file: string): File {
  const inner = (specifier: string) => relative(SRC, join(SRC, dirname(file), specifier)).replace('.ts', '');
  const all = specifiers(readFileSync(join(SRC, file), 'utf8')).map((s) =>
    s.startsWith('.') ? inner(s) : s,
  );
  return { module: file.replace('.ts', ''), imports: all };
}

const inLayer = (module: string, layer: string) => module === layer || module.startsWith(`${layer}/`);
const layerOf = (module: string) => MAY.find(([layer]) => inLayer(module, layer));

describe('layers', () => {
  const files = sources(SRC).map(read);

  it('no arrow points upwards', () => {
    const wrong: string[] = [];
    for (const { module, imports } of files.filter(({ module }) => !LEAVES.includes(module))) {
      const [layer = '', may = []] = layerOf(module) ?? [];
      expect(layer, `${module} stands in no layer: add it to this test and to ARCHITECTURE.md`).not.toBe('');
      for (const target of imports.filter(
        (target) => !target.startsWith('node:') && !LEAVES.includes(target),
      )) {
        if (!inLayer(target, layer) && !may.some((one) => inLayer(target, one)))
          wrong.push(`${module} → ${target}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('leaves import nothing but leaves', () => {
    const leaves = files.filter(({ module }) => LEAVES.includes(module));
    const wrong = leaves.flatMap(({ module, imports }) =>
      imports
        .filter((one) => !one.startsWith('node:') && !LEAVES.includes(one))
        .map((one) => `${module} → ${one}`),
    );
    expect(wrong).toEqual([]);
  });

  it('the library imports nothing but itself and node', () => {
    const foreign = files.flatMap(({ imports }) => imports.filter((one) => !one.startsWith('node:')));
    const known = new Set(files.map(({ module }) => module));
    expect(foreign.filter((one) => !known.has(one))).toEqual([]);
  });

  it('the apps use the public entry point only', () => {
    const apps = [
      ...sources(join(PACKAGES, 'bench')).map((f) => join(PACKAGES, 'bench', f)),
      ...sources(join(PACKAGES, 'cli')).map((f) => join(PACKAGES, 'cli', f)),
      ...sources(EXAMPLES).map((f) => join(EXAMPLES, f)),
    ];
    const deep = apps.flatMap((file) =>
      specifiers(readFileSync(file, 'utf8')).filter((s) => /holdfast\/(src|dist)/.test(s)),
    );
    expect(deep).toEqual([]);
  });
});
