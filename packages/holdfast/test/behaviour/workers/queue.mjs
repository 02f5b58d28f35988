/** Waits for one lock as often as asked (`{ join: [n, …] }`); tells when each is served, and hands on at once. */
import { Holdfast } from 'holdfast';
import { connect } from './connect.mjs';

const [, , kind, port, name] = process.argv;
const { client, end } = await connect(kind, port);
const holdfast = new Holdfast(client);
const lock = holdfast.lock(name, { ttlMs: 20_000, waitMs: 120_000 });

async function join(n) {
  const lease = await lock.acquire();
  const servedAt = performance.timeOrigin + performance.now();
  await lease.release();
  process.send({ served: n, token: lease.fencingToken, servedAt });
}

process.on('message', async (message) => {
  if (message === 'end') {
    await holdfast.close();
    await end();
    process.disconnect();
    return;
  }
  for (const n of message.join) void join(n);
});
process.send('ready');
