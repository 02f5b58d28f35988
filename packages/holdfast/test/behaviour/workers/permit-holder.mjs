/** Acquires permits (or only waits for them), says so, and goes on until it is killed. */
import { Holdfast } from 'holdfast';
import { connect } from './connect.mjs';

const [, , kind, port, name, options] = process.argv;
const { ttlMs, permits, slots } = JSON.parse(options);
const { client } = await connect(kind, port);
const holdfast = new Holdfast(client, { label: 'to be killed' });
const acquiring = holdfast.semaphore(name, { ttlMs, slots }).acquire({ permits, waitMs: 600_000 });
process.send('asked');
const lease = await acquiring;
process.send({ slots: lease.slots, fencingToken: lease.fencingToken });
