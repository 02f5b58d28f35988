/** Holds or waits for one lock, as often as asked, until it is killed. */
import { Holdfast } from 'holdfast';
import { connect } from './worker-kit.mjs';

const [, , port, name, ttlMs, count] = process.argv;
const { raw } = await connect('ioredis', port);
const lock = new Holdfast(raw).lock(name, { ttlMs: Number(ttlMs), waitMs: 600_000 });
const first = lock.acquire();
for (let i = 1; i < Number(count); i++) lock.acquire().catch(() => {});
process.send('asked');
await first;
process.send('holds');
