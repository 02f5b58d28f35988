// The library in one file, from what the compiler wrote: Node then loads one module instead of a hundred, which is most of the time of an import.
// Readable in a stack trace, but without comments (the types have them) and in ASCII.
// Put in place whole, and only where it changed: a program that starts while a build runs finds the library.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { inAscii } from './in-ascii.mjs';

const root = fileURLToPath(new URL('../packages/holdfast/', import.meta.url));

const { output } = await build({
  configFile: false,
  root,
  logLevel: 'error',
  plugins: [inAscii],
  build: {
    ssr: 'dist/index.js',
    write: false,
    target: 'node20',
    minify: false,
    rollupOptions: { output: { entryFileNames: 'index.js', comments: false } },
  },
});

const file = `${root}bundle/index.js`;
const code = output[0].code;
if (output.length !== 1) throw new Error(`the bundle has ${output.length} files`);
if (!existsSync(file) || readFileSync(file, 'utf8') !== code) {
  mkdirSync(`${root}bundle`, { recursive: true });
  writeFileSync(`${file}.${process.pid}`, code);
  renameSync(`${file}.${process.pid}`, file);
}
