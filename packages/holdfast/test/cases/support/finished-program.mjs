/** Uses everything once, closes it, and has nothing more to do. */
import { Holdfast } from 'holdfast';
import { connect, faults } from './worker-kit.mjs';

const [, , kind, port, name, how] = process.argv;
const { raw, end } = await connect(kind, port);
const holdfast = new Holdfast(raw);
const lock = holdfast.lock(name, { ttlMs: 600_000, maxHoldMs: 1_200_000 });
const lease = await lock.acquire();
const waiting = lock.acquire({ waitMs: 600_000 });
await lock.acquire({ signal: AbortSignal.timeout(20) }).catch(() => {});
await lock.acquire({ waitMs: 10 }).catch(() => {});
await lease.release();
const second = await waiting;
await second.renew(60_000);
if (how !== 'close') await second.release();
if (how !== 'release') await holdfast.close();
await end();
process.send({ done: true, faults });
process.disconnect();
