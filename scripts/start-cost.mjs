// How much later than node itself a command starts that `holdfast run` holds a lock for: npm run start-cost.
// In turns, so that whatever else the machine does meets all alike.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { startServer } from '../packages/testkit/dist/index.js';

const ROUNDS = Number(process.argv[2] ?? 40);
const program = fileURLToPath(new URL('../packages/cli/bin/holdfast.js', import.meta.url));
/** What the bundle is made of. */
const modules = fileURLToPath(new URL('../packages/cli/dist/main.js', import.meta.url));
const server = await startServer();
const env = { ...process.env, REDIS_URL: server.url };

/** Milliseconds until the command says that it runs. */
function startOf(file, args) {
  const from = performance.timeOrigin + performance.now();
  const told = execFileSync(file, args, { env, encoding: 'utf8' });
  return Number(told) / 1e6 - from;
}

function tookOf(...args) {
  const from = performance.now();
  execFileSync(process.execPath, args, { env });
  return performance.now() - from;
}

const DATE = ['date', '+%s%N'];
const WAYS = {
  'node -e 0, to its end': () => tookOf('-e', '0'),
  'the command by itself': () => startOf(DATE[0], DATE.slice(1)),
  'the command under holdfast run': () => startOf(process.execPath, [program, 'run', 'start', '--', ...DATE]),
  'the same, module by module': () => startOf(process.execPath, [modules, 'run', 'start', '--', ...DATE]),
  'holdfast run … true, to its end': () => tookOf(program, 'run', 'start', '--', 'true'),
};
const times = new Map(Object.keys(WAYS).map((way) => [way, []]));
for (let i = 0; i < ROUNDS; i++) for (const [way, once] of Object.entries(WAYS)) times.get(way).push(once());
await server.shutdown();

const at = (sorted, part) => sorted[Math.floor((sorted.length - 1) * part)].toFixed(0).padStart(4);
for (const [way, all] of times) {
  all.sort((a, b) => a - b);
  console.log(
    `${way.padEnd(34)}${at(all, 0)} ms at least,${at(all, 0.5)} ms median,${at(all, 0.95)} ms at the 95th percentile`,
  );
}
const median = (way) => Number(at(times.get(way), 0.5));
const [node, , command] = Object.keys(WAYS);
console.log(
  `\nThe command starts ${median(command) - median(node)} ms later than node ends (medians of ${ROUNDS}).`,
);
