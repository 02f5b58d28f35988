// The library in one file, from what the compiler wrote: Node then loads one module instead of a hundred, which is most of the time of an import.
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = fileURLToPath(new URL('../packages/holdfast/', import.meta.url));

await build({
  configFile: false,
  root,
  logLevel: 'error',
  build: {
    ssr: 'dist/index.js',
    outDir: 'bundle',
    target: 'node20',
    minify: false,
    rollupOptions: { output: { entryFileNames: 'index.js' } },
  },
});
