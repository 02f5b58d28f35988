// Types for CommonJS users: a copy of each declaration of the library as .d.cts. `require()` loads the same ES modules there
// (Node 20.19 and later), but TypeScript takes a .d.ts of an ES module for something that CommonJS cannot import.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

const dist = new URL('../packages/holdfast/dist/', import.meta.url);

for (const file of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
  if (!file.endsWith('.d.ts')) continue;
  const text = readFileSync(new URL(file, dist), 'utf8').replace(/(['"]\.[^'"]*)\.[jt]s(['"])/g, '$1.cjs$2');
  writeFileSync(
    new URL(file.replace(/\.d\.ts$/, '.d.cts'), dist),
    text.replace(/^\/\/# sourceMappingURL.*$/m, ''),
  );
}
