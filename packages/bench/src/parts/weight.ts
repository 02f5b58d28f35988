/** What the library costs before it does anything: the time of its import, and its size in a bundle. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build, type Rollup } from 'vite';
import { aim, figureOf, type Part, type Row, rowOf, type Settings, type Table } from '../part.ts';
import { type Contender, messageOf } from '../rivals/contender.ts';
import { alone } from '../rivals/index.ts';
import { median } from '../stats.ts';

const run = promisify(execFile);
/** Where the packages are found from. */
const HERE = fileURLToPath(new URL('../../', import.meta.url));
const CLIENTS = ['ioredis', 'redis', '@redis/client', 'iovalkey', '@valkey/valkey-glide'];
const WITHIN_MS = 20_000;

async function startMs(script: string): Promise<number> {
  const startedAt = performance.now();
  await run(process.execPath, ['--input-type=module', '-e', script], { cwd: HERE, timeout: WITHIN_MS });
  return performance.now() - startedAt;
}

/** Over an empty program, in interleaved rounds. `undefined` for a package that does not come up. */
async function importMs(packages: readonly string[], rounds: number): Promise<(number | string)[]> {
  const seen = packages.map((): number[] => []);
  const failed: (string | undefined)[] = [];
  for (let round = 0; round < rounds; round++) {
    const empty = await startMs('');
    for (const [i, name] of packages.entries()) {
      if (failed[i] !== undefined) continue;
      const ms = await startMs(`await import('${name}'); process.exit()`).catch(messageOf);
      if (typeof ms === 'number') seen[i]?.push(ms - empty);
      else failed[i] = ms.slice(0, 100);
    }
  }
  return packages.map((_, i) => failed[i] ?? median(seen[i] ?? []));
}

/** Minified and compressed, in kB, without the client that the application has anyway. */
async function packedKb(name: string, folder: string): Promise<number> {
  const entry = `${folder}/${name.replace(/\W/g, '-')}.mjs`;
  // All of it, whether it is exported by name or by default.
  writeFileSync(entry, `import * as all from '${name}';\nglobalThis.all = all;\n`);
  const built = await build({
    configFile: false,
    root: HERE,
    logLevel: 'silent',
    ssr: { noExternal: true, external: CLIENTS },
    build: {
      ssr: entry,
      write: false,
      minify: true,
      rollupOptions: { external: [/^node:/, ...CLIENTS] },
    },
  });
  const { output } = built as Rollup.RollupOutput;
  const code = output.map((one) => ('code' in one ? one.code : '')).join('');
  return gzipSync(code, { level: 9 }).length / 1_000;
}

async function rowsOf(rounds: number): Promise<Row[]> {
  const packaged = alone.flatMap((contender) =>
    contender.package ? [{ contender, name: contender.package }] : [],
  );
  const times = await importMs(
    packaged.map(({ name }) => name),
    rounds,
  );
  const folder = mkdtempSync(`${HERE}.weight-`);
  try {
    const rows: Row[] = [];
    for (const [i, { contender, name }] of packaged.entries())
      rows.push(await rowFor(contender, times[i] ?? Number.NaN, () => packedKb(name, folder)));
    return rows;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function rowFor(
  contender: Contender,
  time: number | string,
  packed: () => Promise<number>,
): Promise<Row> {
  const kb = await packed().catch(messageOf);
  const words = [time, kb].filter((one) => typeof one === 'string');
  const numberOf = (one: number | string) => (typeof one === 'number' ? one : Number.NaN);
  return rowOf(contender, { importMs: numberOf(time), kb: numberOf(kb) }, words.join('; '));
}

const tableOf = (rows: Row[]): Table => ({
  id: 'weight',
  title: 'Before it does anything',
  columns: [
    { id: 'importMs', label: 'import, ms over an empty program', digits: 1, better: 'less' },
    { id: 'kb', label: 'kB, minified + gzip', digits: 1, better: 'less' },
  ],
  rows,
  aims: [
    aim('import time', figureOf(rows, 'holdfast', 'importMs'), 20, 'ms'),
    aim('minified + gzip', figureOf(rows, 'holdfast', 'kb'), 20, 'kB'),
  ],
  notes: [
    'Without the client that the application has anyway; with all other dependencies. The import of node-redisson has ioredis in it.',
  ],
  chart: 'kb',
});

export const weight: Part = {
  id: 'weight',
  what: 'import time and packed size',
  async run({ quick }: Settings) {
    return [tableOf(await rowsOf(quick ? 1 : 15))];
  },
};
