/** Every TypeScript example in the README and in docs/ is a whole program: compiled strictly, and run against a real server. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Postgres, type RedisProcess, startPostgres, startServer } from '../../testkit/src/index.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const run = promisify(execFile);
const pages = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter((f) => f.endsWith('.md'))
    .map((f) => `docs/${f}`),
];

const examples = pages.flatMap((page) => {
  const blocks = readFileSync(join(ROOT, page), 'utf8').matchAll(/^```ts\n(.*?)^```$/gms);
  return [...blocks].map((match, i) => ({
    title: `${page}, example ${i + 1}`,
    file: `${basename(page, '.md')}-${i}.ts`,
    code: match[1] ?? '',
    needsPostgres: /from 'pg'/.test(match[1] ?? ''),
  }));
});

const databaseOf = (postgres: Postgres | { why: string }) =>
  'why' in postgres ? {} : { DATABASE_URL: postgres.url };

describe('examples', () => {
  let folder: string;
  let servers: RedisProcess[];
  let postgres: Postgres | { why: string };

  beforeAll(async () => {
    // Below node_modules, so that the examples find the packages as a user's program would.
    const cache = join(ROOT, 'node_modules/.cache');
    mkdirSync(cache, { recursive: true });
    folder = mkdtempSync(join(cache, 'docs-'));
    servers = await Promise.all([1, 2, 3].map(() => startServer()));
    postgres = await startPostgres();
    if ('why' in postgres) console.error(`NOT RUN: the examples with PostgreSQL: ${postgres.why}`);
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    for (const { file, code } of examples) writeFileSync(join(folder, file), code);
    const options = {
      target: 'es2022',
      module: 'nodenext',
      strict: true,
      types: ['node'],
      lib: ['es2023', 'esnext.disposable'],
      skipLibCheck: false,
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options }));
  });
  afterAll(async () => {
    await Promise.all((servers ?? []).map((server) => server.shutdown()));
    if (postgres && !('why' in postgres)) await postgres.shutdown();
    if (folder) rmSync(folder, { recursive: true });
  });

  it('are there', () => expect(examples.length).toBeGreaterThan(4));

  it('compile strictly', async () => {
    await run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', folder]).catch(
      (error: { stdout: string }) => {
        throw new Error(error.stdout);
      },
    );
  }, 60_000);

  it.for(examples)('$title runs and ends by itself', async ({ file, needsPostgres }, { skip }) => {
    if (needsPostgres && 'why' in postgres) return skip(postgres.why);
    const urls = servers.map(({ url }) => url);
    const env = { ...process.env, REDIS_URL: urls[0], REDIS_URLS: urls.join(','), ...databaseOf(postgres) };
    const { stderr } = await run(process.execPath, [join(folder, file.replace('.ts', '.js'))], {
      env,
      timeout: 20_000,
    });
    expect(stderr).toBe('');
  });
});
