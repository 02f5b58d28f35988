/** Every listener throws; each exception is counted here, where a program would end or log it. */
import { subscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { Holdfast } from 'holdfast';
import { connect } from './connect.mjs';

const [, , port] = process.argv;
let thrown = 0;
const others = [];
process.on('uncaughtException', (error) => {
  if (error.message === 'of a listener') thrown++;
  else others.push(String(error.stack));
});
process.on('unhandledRejection', (error) => others.push(`unhandled: ${error}`));

const throws = () => {
  throw new Error('of a listener');
};
const { client, end } = await connect('ioredis', port);
const holdfast = new Holdfast(client);
for (const name of ['acquired', 'waited', 'handedOff', 'renewed', 'lost', 'released', 'warning']) {
  holdfast.on(name, throws);
  subscribe(`holdfast:${name}`, throws);
}

const outcomes = [];
const lock = holdfast.lock('watched');
const lease = await lock.acquire();
outcomes.push('acquired');
await lock.acquire({ waitMs: 20 }).catch(() => outcomes.push('busy'));
const waiting = lock.acquire();
await new Promise((resolve) => setTimeout(resolve, 20));
await lease.release();
const next = await waiting;
outcomes.push('handed off', await next.renew(), await next.release());
const short = await lock.acquire({ maxHoldMs: 30 });
await once(short.signal, 'abort');
outcomes.push(`lost: ${short.lost.reason}`);
await short.release();
await holdfast.close();
end();
setTimeout(() => process.send({ outcomes, thrown, others }, () => process.disconnect()), 20);
