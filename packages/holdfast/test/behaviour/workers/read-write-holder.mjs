/** Acquires one side of a read-write lock (or only waits for it), says so, and goes on until it is killed. */
import { Holdfast } from 'holdfast';
import { connectAs } from './storm-connect.mjs';

const { title, ports, name, side, ttlMs, upgrades } = JSON.parse(process.argv[2]);
const { client } = await connectAs(title, ports);
const holdfast = new Holdfast(client, { label: 'to be killed' });
const acquiring = holdfast.readWrite(name, { ttlMs })[side].acquire({ waitMs: 600_000 });
process.send('asked');
const lease = await acquiring;
process.send({ fencingToken: lease.fencingToken });
if (upgrades) await lease.upgrade({ waitMs: 600_000 });
