/** Uses a lock in every way, then either closes Holdfast and its client, or only ends its client; nothing else is to be done. */
import { Holdfast } from 'holdfast';
import { connect } from './connect.mjs';

const [, , kind, port, how] = process.argv;
const { client, end } = await connect(kind, port);
const holdfast = new Holdfast(client);
const lock = holdfast.lock('finished', { waitMs: 600_000 });
const lease = await lock.acquire();
const waiting = lock.acquire();
await lock.acquire({ signal: AbortSignal.timeout(30) }).catch(() => {});
await lock.acquire({ waitMs: 30 }).catch(() => {});
await lease.release();
await (await waiting).release();
if (how === 'close') await holdfast.close();
end();
process.send('finished');
process.disconnect();
