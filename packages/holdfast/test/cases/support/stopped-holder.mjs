/** Holds a lock and looks at it all the time; reports in which order things happened around a stop of the process. */
import { Holdfast } from 'holdfast';
import { connect, faults } from './worker-kit.mjs';

const [, , port, name] = process.argv;
const log = [];
const { raw, end } = await connect('ioredis', port);
const holdfast = new Holdfast(raw);
const lease = await holdfast.lock(name, { ttlMs: 400 }).acquire();
holdfast.on('renewed', () => {
  log.push('renewed');
  process.send('renewed');
});
lease.signal.addEventListener('abort', () => log.push('aborted'));

let lastLook = performance.now();
const looking = setInterval(() => {
  const now = performance.now();
  if (now - lastLook > 350) log.push('woke');
  lastLook = now;
  log.push(lease.signal.aborted ? 'gone' : 'held');
  if (log.at(-1) === 'gone') void report();
}, 5);

async function report() {
  clearInterval(looking);
  const released = await lease.release();
  process.send({ log, reason: lease.lost.reason, released, faults });
  await holdfast.close();
  await end();
  process.disconnect();
}
