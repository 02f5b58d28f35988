/** Holds a lock under a label until it is told to release it. */
import { once } from 'node:events';
import { Holdfast } from 'holdfast';
import { connect } from './connect.mjs';

const [, , port, name, label] = process.argv;
const { client, end } = await connect('node-redis', port);
const holdfast = new Holdfast(client, { label });
const lease = await holdfast.lock(name).acquire();
process.send('holds');
await once(process, 'message');
await lease.release();
await holdfast.close();
end();
process.disconnect();
