/**
 * Holds a lock, finds that its lease is good, and is paused before it writes: by itself, so that nothing comes in between.
 * A full garbage collection, a machine that swaps or a virtual machine that is moved do the same.
 */
import { Holdfast } from 'holdfast';
import { Redis } from 'ioredis';

const [, , port, name, ttlMs] = process.argv;
const redis = new Redis({ host: '127.0.0.1', port: Number(port) });
const holdfast = new Holdfast(redis);
const lease = await holdfast.lock(name, { ttlMs: Number(ttlMs) }).acquire();
const { fencingToken, signal } = lease;
const told = new Promise((resolve) => process.send({ is: 'holding', fencingToken }, resolve));
await told;
if (!signal.aborted) {
  process.kill(process.pid, 'SIGSTOP');
  process.send({ is: 'write', fencingToken });
}
signal.addEventListener('abort', () => process.send({ is: 'lost', reason: lease.lost.reason }));
if (signal.aborted) process.send({ is: 'lost', reason: lease.lost.reason });
process.on('disconnect', () => process.exit());
