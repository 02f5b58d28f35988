// Writes packages/holdfast/src/lua/generated.ts from the .lua files beside it: parts put in, comments and indentation
// taken off, headers checked against bodies. `--check` writes nothing and fails when the file is out of date.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

const folder = new URL('../packages/holdfast/src/lua/', import.meta.url);
const target = new URL('generated.ts', folder);

function part(name) {
  return readFileSync(new URL(`parts/${name}.lua`, folder), 'utf8');
}

function withParts(source) {
  return source.replace(/^--! (\S+)$/gm, (_, name) => part(name).trimEnd());
}

function compact(source) {
  const lines = source.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '' && !line.startsWith('--')).join('\n');
}

function camelCase(name) {
  return name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());
}

/** Every KEYS[n] and ARGV[n] that the body uses is named in the header, in order, and the other way round. */
function checkHeader(file, source) {
  for (const kind of ['KEYS', 'ARGV']) {
    const named = [...source.matchAll(new RegExp(`^-- ${kind}\\[(\\d)\\] \\w+`, 'gm'))].map((match) =>
      Number(match[1]),
    );
    const body = compact(withParts(source));
    const used = new Set(
      [...body.matchAll(new RegExp(`${kind}\\[(\\d)\\]`, 'g'))].map((match) => Number(match[1])),
    );
    const wrong =
      named.some((n, i) => n !== i + 1) ||
      [...used].some((n) => !named.includes(n)) ||
      named.some((n) => !used.has(n));
    if (wrong)
      throw new Error(
        `${file}: header names ${kind} ${named.join(', ')}, body uses ${[...used].sort().join(', ')}`,
      );
  }
  if (!/^-- Returns /m.test(source)) throw new Error(`${file}: header says not what it returns`);
}

function generate() {
  const files = readdirSync(folder)
    .filter((file) => file.endsWith('.lua'))
    .sort();
  const entries = files.map((file) => {
    const source = readFileSync(new URL(file, folder), 'utf8');
    checkHeader(file, source);
    const body = compact(withParts(source));
    const sha = createHash('sha1').update(body).digest('hex');
    return `  ${camelCase(file.replace('.lua', ''))}: {\n    sha: '${sha}',\n    body: ${JSON.stringify(body)},\n  },`;
  });
  return `// Made by scripts/generate-lua.mjs from the .lua files in this folder. Do not edit.\n\nexport const scripts = {\n${entries.join('\n')}\n} as const;\n`;
}

const text = generate();
if (!process.argv.includes('--check')) writeFileSync(target, text);
else if (readFileSync(target, 'utf8') !== text) {
  console.error('generated.ts is out of date: run `npm run generate`');
  process.exit(1);
}
