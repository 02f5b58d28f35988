// Writes packages/cli/bundle/ from the compiled files: one module for each verb. A lock that a cron job takes shall not cost more than 150 ms over the
// start of node itself: the client and the verbs, module by module, take 180, bundled 125 (`npm run start-cost`).
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { inAscii } from './in-ascii.mjs';

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const bundle = at('packages/cli/bundle');

function newest(folder) {
  const files = readdirSync(folder, { recursive: true }).filter((file) => file.endsWith('.js'));
  return Math.max(0, ...files.map((file) => statSync(`${folder}/${file}`).mtimeMs));
}

/** The licences of what is in the bundle have to go with it. */
function licences(output) {
  const modules = output.flatMap(({ moduleIds = [] }) => moduleIds);
  const folders = modules.map((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0]);
  const texts = [...new Set(folders)]
    .filter((folder) => folder !== undefined)
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
      const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
      const text = file === undefined ? '' : readFileSync(`${folder}/${file}`, 'utf8').trim();
      return `${name} ${version} (${license})\n\n${text}\n`;
    });
  return texts.sort().join('\n----\n\n');
}

const sources = [at('packages/cli/dist'), at('packages/holdfast/dist')].map(newest);
const rules = ['package-lock.json', 'scripts/bundle-cli.mjs', 'scripts/in-ascii.mjs'].map(
  (file) => statSync(at(file)).mtimeMs,
);
const made = existsSync(`${bundle}/main.js`) ? statSync(`${bundle}/main.js`).mtimeMs : 0;
if (made <= Math.max(...sources, ...rules)) {
  rmSync(bundle, { recursive: true, force: true });
  const build = await rolldown({
    input: { main: at('packages/cli/dist/main.js') },
    platform: 'node',
    logLevel: 'warn',
    plugins: [inAscii],
  });
  const { output } = await build.write({
    dir: bundle,
    format: 'esm',
    comments: false,
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
  });
  writeFileSync(`${bundle}/LICENSES.txt`, licences(output));
  await build.close();
}
