/** The packed library as its users get it: types in every module mode, `import` and `require`, nothing else in the package. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const run = promisify(execFile);

const PROGRAM = `
import { Holdfast, LeaseLostError, type Lease } from 'holdfast';
const holdfast = Holdfast.inMemory();
const name: Promise<string> = holdfast.lock('x').use((lease: Lease) => lease.name);
export const lost = (error: unknown) => error instanceof LeaseLostError && error.reason;
void name.then(console.log).then(() => holdfast.close());
`;

const MODES = [
  { title: 'node16, ES module', file: 'a.mts', options: { module: 'node16' } },
  { title: 'node16, CommonJS', file: 'a.cts', options: { module: 'node16' } },
  { title: 'nodenext, ES module', file: 'a.mts', options: { module: 'nodenext' } },
  { title: 'nodenext, CommonJS', file: 'a.cts', options: { module: 'nodenext' } },
  { title: 'bundler', file: 'a.ts', options: { module: 'esnext', moduleResolution: 'bundler' } },
];

describe('the packed library', () => {
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-package-'));
    const target = join(folder, 'node_modules/holdfast');
    mkdirSync(target, { recursive: true });
    const pack = ['pack', '--pack-destination', folder, '-w', 'holdfast', '--ignore-scripts'];
    await run('npm', pack, { cwd: ROOT });
    const [tarball = ''] = readdirSync(folder).filter((file) => file.endsWith('.tgz'));
    await run('tar', ['-xzf', join(folder, tarball), '-C', target, '--strip-components=1']);
    symlinkSync(join(ROOT, 'node_modules/@types'), join(folder, 'node_modules/@types'));
  });
  afterAll(() => folder && rmSync(folder, { recursive: true }));

  it.each(MODES)(
    'resolves its types with $title',
    async ({ file, options }) => {
      const project = mkdtempSync(join(folder, 'mode-'));
      writeFileSync(join(project, file), PROGRAM);
      writeFileSync(join(project, 'package.json'), '{}');
      const strict = {
        strict: true,
        noEmit: true,
        types: ['node'],
        lib: ['es2023', 'esnext.disposable'],
        ...options,
      };
      writeFileSync(
        join(project, 'tsconfig.json'),
        JSON.stringify({ compilerOptions: strict, files: [file] }),
      );
      await run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', project]).catch(
        (error: { stdout: string }) => {
          throw new Error(error.stdout);
        },
      );
    },
    60_000,
  );

  it.each([
    ['import', 'b.mjs', `import { Holdfast } from 'holdfast';`],
    ['require', 'b.cjs', `const { Holdfast } = require('holdfast');`],
  ])('runs by %s, without a word on stderr', async (_, file, load) => {
    const use = `const h = Holdfast.inMemory(); h.lock('x').use((l) => console.log(l.name)).then(() => h.close());`;
    writeFileSync(join(folder, file), `${load}\n${use}`);
    const { stdout, stderr } = await run(process.execPath, [join(folder, file)], { timeout: 10_000 });
    expect(stdout).toBe('x\n');
    expect(stderr.replace(/\(node:\d+\) ExperimentalWarning: .*require\(\).*\n.*\n?/s, '')).toBe('');
  });

  it('has code, types, readme and licence in it, and nothing else', () => {
    const files = readdirSync(join(folder, 'node_modules/holdfast'), { recursive: true, encoding: 'utf8' });
    const odd = files.filter(
      (file) =>
        file.includes('.') &&
        !/^bundle\/index\.js$|^dist\/.*\.(d\.ts|d\.cts)$|^(package\.json|README\.md)$/.test(file),
    );
    expect(odd).toEqual([]);
    expect(files).toContain('LICENSE');
  });
});
