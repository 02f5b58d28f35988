// Types for CommonJS users: a copy of each declaration of the library as .d.cts. `require()` loads the same ES modules there
// (Node 20.19 and later), but TypeScript takes a .d.ts of an ES module for something that CommonJS cannot import.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';

const dist = new URL('../packages/holdfast/dist/', import.meta.url);

/** A compiler that reads while a build runs shall not find half a file. */
function writeIfChanged(file, text) {
  if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text);
}

for (const file of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
  if (!file.endsWith('.d.ts')) continue;
  const text = readFileSync(new URL(file, dist), 'utf8').replace(/(['"]\.[^'"]*)\.[jt]s(['"])/g, '$1.cjs$2');
  writeIfChanged(
    new URL(file.replace(/\.d\.ts$/, '.d.cts'), dist),
    text.replace(/^\/\/# sourceMappingURL.*$/m, ''),
  );
}
