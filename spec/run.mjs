// Runs Spin on each model and variant of expected.json, and compares the verdict and the number of states with what stands there.
//   npm run spec                    all, two at a time: about two minutes
//   npm run spec -- --quick         a few of each: half a minute
//   npm run spec -- --update        writes what was found into expected.json
//   npm run spec -- --if-available  says so and ends well where Spin or a C compiler cannot be had
// Also checks that every piece of a script that README.md quotes still stands in that script.
import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';

const run = promisify(execFile);
const here = new URL('./', import.meta.url);
const AT_ONCE = 2;
const LIMIT_MS = 170_000;

const options = { quick: {}, update: {}, 'if-available': {}, help: {} };
for (const option of Object.values(options)) option.type = 'boolean';
const { values } = parseArgs({ options });
if (values.help) {
  console.log(
    'Usage: npm run spec -- [--quick] [--update] [--if-available]\n\nExit code: 0 as expected, 1 a surprise, 3 no spin or gcc',
  );
  process.exit();
}

/** `| file | model | \`snippet\` |`: each snippet has to stand in its file. */
function checkMap() {
  const rows = readFileSync(new URL('README.md', here), 'utf8').matchAll(
    /^\| `([\w/.-]+\.lua)` \|[^|]*\| `(.+)` \|$/gm,
  );
  const gone = [...rows].filter(
    ([, file, snippet]) =>
      !readFileSync(new URL(`../packages/holdfast/src/lua/${file}`, here), 'utf8').includes(
        snippet.replaceAll('\\|', '|'),
      ),
  );
  for (const [, file, snippet] of gone)
    console.error(`README.md quotes what is not in ${file} any more: ${snippet}`);
  return gone.length === 0;
}

async function available() {
  try {
    await run('spin', ['-V']);
    await run('gcc', ['--version']);
    return true;
  } catch {
    return false;
  }
}

/** One variant: the verdict, how many states were stored, and how long it took. */
async function check({ model, flags }) {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-spec-'));
  const startedAt = performance.now();
  try {
    copyFileSync(new URL(`${model}.pml`, here), join(folder, 'model.pml'));
    const inFolder = { cwd: folder, timeout: LIMIT_MS, maxBuffer: 1 << 26 };
    await run('spin', [...flags, '-a', 'model.pml'], inFolder);
    await run(
      'gcc',
      ['-O2', '-w', '-DSAFETY', '-DCOLLAPSE', '-DMEMLIM=4000', '-o', 'pan', 'pan.c'],
      inFolder,
    );
    const { stdout } = await run('./pan', ['-m2000000'], inFolder);
    const errors = Number(/errors: (\d+)/.exec(stdout)?.[1] ?? Number.NaN);
    const cut = /max search depth too small|out of memory|aborted/.test(stdout);
    return {
      verdict: cut ? 'not finished' : errors === 0 ? 'holds' : 'broken',
      states: Number(/(\d+) states, stored/.exec(stdout)?.[1]),
      why: /^pan:1: (.{0,60})/m.exec(stdout)?.[1] ?? '',
      seconds: (performance.now() - startedAt) / 1000,
    };
  } catch (error) {
    return {
      verdict: 'not finished',
      states: 0,
      why: String(error.message).slice(0, 200),
      seconds: (performance.now() - startedAt) / 1000,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const file = new URL('expected.json', here);
const expected = JSON.parse(readFileSync(file, 'utf8'));
const mapHolds = checkMap();
if (!(await available())) {
  console.log('!!! NOT RUN: the models: spin and gcc are needed (Debian: apt-get install spin gcc)');
  process.exit(values['if-available'] && mapHolds ? 0 : 3);
}

let surprises = 0;
const queue = expected.filter(({ quick }) => quick || !values.quick);
async function worker() {
  for (let one = queue.shift(); one !== undefined; one = queue.shift()) {
    const found = await check(one);
    const asExpected = found.verdict === one.verdict && (values.update || found.states === one.states);
    if (!asExpected) surprises++;
    const label = `${one.model} ${one.flags.join(' ')}`.padEnd(58);
    const line = `${label} ${found.verdict.padEnd(7)} ${String(found.states).padStart(9)} states ${found.seconds.toFixed(1).padStart(6)} s`;
    console.log(
      asExpected ? line : `${line}  SURPRISE: expected ${one.verdict}, ${one.states} states ${found.why}`,
    );
    if (values.update) one.states = found.states;
  }
}
const startedAt = performance.now();
await Promise.all(Array.from({ length: AT_ONCE }, worker));
if (values.update)
  writeFileSync(file, `[\n${expected.map((one) => `  ${JSON.stringify(one)}`).join(',\n')}\n]\n`);
console.log(
  `${((performance.now() - startedAt) / 1000).toFixed(0)} s, ${surprises === 0 ? 'all as expected' : `${surprises} surprises`}`,
);
process.exitCode = surprises === 0 && mapHolds ? 0 : 1;
