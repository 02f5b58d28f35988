/** Holds a lock and renews it, through whatever happens to its process, and tells when it is lost. */
import { Holdfast } from 'holdfast';
import { connect } from './connect.mjs';

const [, , port, name, ttlMs] = process.argv;
const { client, end } = await connect('ioredis', port);
const holdfast = new Holdfast(client);
holdfast.on('renewed', () => process.send('renewed'));
const lease = await holdfast.lock(name, { ttlMs: Number(ttlMs) }).acquire();
process.send({ token: lease.fencingToken });
lease.signal.addEventListener('abort', async () => {
  process.send({ lost: lease.lost.reason });
  await holdfast.close();
  end();
  process.disconnect();
});
