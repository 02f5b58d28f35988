/**
 * Does all that can go well and wrong with a lock, and collects everything that anybody could see of it: events, messages of
 * `diagnostics_channel`, errors in every form, warnings, what `console.log` shows of each object. The parent has what it printed.
 */
import { subscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { inspect } from 'node:util';
import { Holdfast } from 'holdfast';
import { connect } from './connect.mjs';

const [, , kind, port, secret] = process.argv;
const holderIds = new Set();
const passwords = [secret, 'wrong-password-of-the-test'];
const seen = [];
const codes = new Set();
const happened = new Set();

/** In every form in which it may end up in a log. */
function look(value) {
  const deep = { depth: 10, showHidden: true, maxArrayLength: null, maxStringLength: null };
  seen.push(
    inspect(value, deep),
    inspect(value, { ...deep, customInspect: false }),
    String(value),
    json(value),
  );
  for (let error = value; error instanceof Error; error = error.cause)
    seen.push(error.message, String(error.stack), json(error), ...Object.values(error).map(String));
}
const json = (value) => {
  try {
    return JSON.stringify(value) ?? '';
  } catch (error) {
    return error.message;
  }
};

/** All holderIds there are, also of acquires that never got a lease: from the commands on their way to the server. */
function tapped(client) {
  const method = kind === 'ioredis' ? 'call' : 'sendCommand';
  const original = client[method].bind(client);
  client[method] = (...args) => {
    for (const [id] of JSON.stringify(args).matchAll(/hf1-[\w.-]+/g)) holderIds.add(id);
    return original(...args);
  };
  return client;
}

process.on('warning', look);
process.on('unhandledRejection', (error) => happened.add(`unhandled rejection: ${error}`));
const EVENTS = [
  'acquired',
  'waited',
  'handedOff',
  'renewed',
  'renewalUnknown',
  'lost',
  'released',
  'warning',
];
for (const name of EVENTS)
  subscribe(`holdfast:${name}`, (event) => {
    happened.add(name);
    look(event);
  });

const open = [];
async function holdfastAs(username, password, options = {}) {
  const { client, end } = await connect(kind, port, { username, password });
  const holdfast = new Holdfast(tapped(client), { commandTimeoutMs: 500, label: 'everything', ...options });
  for (const name of EVENTS) if (name !== 'warning') holdfast.on(name, look);
  open.push({ holdfast, end });
  return { holdfast, client };
}

async function failing(promise) {
  try {
    look(await promise);
  } catch (error) {
    codes.add(error.reply ?? error.code ?? error.name);
    look(error);
  }
}

const admin = await connect('ioredis', port, { username: 'admin', password: secret });
const { holdfast, client } = await holdfastAs('user', secret);
const { holdfast: other } = await holdfastAs('user', secret);

// Acquire, wait, hand-off, inspect.
const lock = holdfast.lock('name', { ttlMs: 300 });
const lease = await lock.acquire();
const waiting = other.lock('name', { ttlMs: 300 }).acquire();
await failing(lock.acquire({ waitMs: 20 }));
await failing(lock.acquire({ signal: AbortSignal.timeout(10) }));
for (const one of [holdfast, lock, lease, lease.signal]) look(one);
look({ lease, nested: [lease, { holdfast }] });
look(await holdfast.inspect('name'));
look(await lease.renew());
while ((await admin.client.zcard('holdfast:{name}:queue:')) === 0);
look(await lease.release());
const next = await waiting;
await once(next.signal, 'abort', { signal: AbortSignal.timeout(150) }).catch(() => {});

// The same with permits.
const seats = holdfast.semaphore('seats', { limit: 2, slots: true, ttlMs: 300 });
const seat = await seats.acquire(2);
const queued = other.semaphore('seats', { limit: 3, slots: true }).acquire();
await failing(seats.acquire({ permits: 1, waitMs: 20 }));
while ((await admin.client.zcard('holdfast:{seats}:waiters:')) === 0);
for (const one of [seats, seat, seat.slots, seat.signal]) look(one);
look(await seats.inspect());
look(await seat.renew());
look(await seat.release());
look(await (await queued).release());
await failing(holdfast.lock('seats').acquire());
await failing(seats.acquire(4));
await failing(holdfast.semaphore('nobody set it').tryAcquire());

// Lose it.
await admin.client.set('name', 'taken by force');
look(await next.renew());
look(next.lost);
look(next.signal.reason);
look(await next.release());
await admin.client.del('name');
await failing(lock.use(() => admin.client.del('name').then(() => new Promise((r) => setTimeout(r, 200)))));
await failing(lock.use(() => new Promise((r) => setTimeout(r, 20)), { maxHoldMs: 10 }));

// What the server refuses.
await admin.client.set('other', 'x');
await admin.client.hset('hash', 'field', 'value');
await failing(holdfast.lock('hash').acquire());
await failing(holdfast.lock('hash').tryAcquire());
await admin.client.config('SET', 'maxmemory', '1');
await failing(holdfast.lock('full').acquire({ waitMs: 100 }));
await admin.client.config('SET', 'maxmemory', '0');
for (const username of ['noscripts', 'nowrite', 'mute', 'deaf', 'narrow']) {
  const { holdfast: limited } = await holdfastAs(username, secret);
  await failing(
    limited
      .lock('limited')
      .acquire({ waitMs: 100 })
      .then((one) => one.release()),
  );
  const held = await other.lock('limited').acquire();
  await failing(limited.lock('limited').acquire({ waitMs: 100 }));
  await held.release();
  await failing(limited.inspect('limited'));
}
if (kind === 'ioredis') {
  const { holdfast: stranger } = await holdfastAs('user', 'wrong-password-of-the-test');
  await failing(stranger.lock('name').acquire({ waitMs: 200 }));
}
await failing((async () => new Holdfast(`redis://user:${secret}@127.0.0.1:${port}`))());
await failing((async () => new Holdfast({ url: `redis://user:${secret}@127.0.0.1:${port}` }))());

// No answer, for a renewal, a release, a wait and an acquire.
const cut = await holdfast.lock('cut', { ttlMs: 900 }).acquire();
const cutSignal = once(cut.signal, 'abort');
await admin.client.client('PAUSE', 2000, 'ALL');
const cutWait = failing(holdfast.lock('other').acquire({ waitMs: 700 }));
look(await cut.renew());
await cutSignal;
look(cut.signal.reason);
await failing(cut.release());
await failing(holdfast.lock('other').tryAcquire());
await cutWait;
await admin.client.ping();
if (kind === 'ioredis') client.disconnect();
else client.destroy();
await failing(lock.acquire());
await failing(lock.tryAcquire());

for (const { holdfast: one, end } of open) {
  await failing(one.close());
  await failing(one.lock('closed').acquire());
  try {
    end();
  } catch {}
}
console.log(holdfast, lock, lease, lease.lost, next.signal.reason, [...open]);
admin.end();
const report = { holderIds: [...holderIds], passwords, seen, codes: [...codes], happened: [...happened] };
process.send(report, () => process.disconnect());
