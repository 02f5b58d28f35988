/** Holds one lock and waits for another; says what it hears of them. */
import { Holdfast } from 'holdfast';
import { connect, faults } from './worker-kit.mjs';

const [, , kind, port, name] = process.argv;
const { raw } = await connect(kind, port);
const holdfast = new Holdfast(raw, { commandTimeoutMs: 200 });
const lease = await holdfast.lock(name, { ttlMs: 400 }).acquire();
const waiting = holdfast.lock(`${name}:waited`).acquire({ waitMs: 60_000 });
process.send('holds');
lease.signal.addEventListener('abort', () => process.send({ lost: lease.lost.reason, faults }));
await waiting.then((second) => process.send({ got: second.name, faults }));
