// The library in one file, from what the compiler wrote: Node then loads one module instead of a hundred, which is most of the time of an import.
// Readable in a stack trace, but without comments (the types have them) and in ASCII.
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { inAscii } from './in-ascii.mjs';

const root = fileURLToPath(new URL('../packages/holdfast/', import.meta.url));

await build({
  configFile: false,
  root,
  logLevel: 'error',
  plugins: [inAscii],
  build: {
    ssr: 'dist/index.js',
    outDir: 'bundle',
    target: 'node20',
    minify: false,
    rollupOptions: { output: { entryFileNames: 'index.js', comments: false } },
  },
});
