/** Waits for a lock many times, and holds it first if asked to, until it is killed. */
import { Holdfast } from 'holdfast';
import { connect } from './connect.mjs';

const [, , port, name, count, ttlMs] = process.argv;
const { client } = await connect('ioredis', port);
const lock = new Holdfast(client).lock(name, { ttlMs: Number(ttlMs || 60_000), waitMs: 600_000 });
if (ttlMs) await lock.acquire();
for (let i = 0; i < Number(count); i++) lock.acquire().catch(() => {});
process.send('asked');
