/**
 * A process of the storm. Does what the plan of each round says, each contender by itself; shows every lease to the resource, at
 * its beginning and again right before its release, without looking whether it still holds; and writes down what it knows,
 * when it knows it. Where a stamp begins what it holds it is taken late, and where it ends it, early.
 */
import './storm-clock.mjs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Holdfast } from 'holdfast';
import { clientClockSemaphore } from './client-clock-semaphore.mjs';
import { heldLeases, journal } from './journal.mjs';
import { connectAs } from './storm-connect.mjs';

const { title, ports, file, limit, ttlMs, waitMs, clientClock } = JSON.parse(process.argv[2]);
const record = journal(file);

const { client, end } = await connectAs(title, ports);
const holdfast = new Holdfast(client);
const { held, keyOf } = heldLeases(holdfast, record);

/** Time in which the process is stopped does not count: a tick that was missed is not made up for. */
const TICK_MS = 50;
const GRACE_MS = 1_000;
const pending = new Map();
setInterval(() => {
  for (const [id, one] of pending) {
    one.leftMs -= TICK_MS;
    if (one.leftMs > 0 || one.told) continue;
    one.told = true;
    record('stuck', { id, plan: one.plan, name: one.name });
  }
}, TICK_MS).unref();

function semaphoreOf(name, { slots, renew }) {
  const options = { limit, ttlMs, slots, renew };
  return clientClock ? clientClockSemaphore(client, name, options) : holdfast.semaphore(name, options);
}

/** A try has the library's own deadline for one command. */
const ASK = {
  try: (semaphore, { permits }) => semaphore.tryAcquire({ permits }),
  wait: (semaphore, { permits }) => semaphore.acquire({ permits, waitMs }),
  short: (semaphore, { permits, afterMs }) => semaphore.acquire({ permits, waitMs: afterMs }),
  abort: (semaphore, { permits, afterMs }) =>
    semaphore.acquire({ permits, waitMs, signal: AbortSignal.timeout(afterMs) }),
};
const boundMs = ({ how, afterMs }) =>
  GRACE_MS + ({ try: 3_000, wait: waitMs, short: afterMs, abort: afterMs }[how] ?? 0);
/** How an ask may end without a lease. An answer that a crowd delays beyond a very short wait is none. */
const FINE = {
  try: [],
  wait: [],
  short: ['AcquireTimeoutError', 'ConnectionError'],
  abort: ['TimeoutError'],
};

async function ask(id, name, plan) {
  record('ask', { id, name, permits: plan.permits, how: plan.how });
  pending.set(id, { leftMs: boundMs(plan), plan, name, told: false });
  try {
    const lease = await ASK[plan.how](semaphoreOf(name, plan), plan);
    const t = process.hrtime.bigint();
    if (lease === undefined) return record('none', { id, why: 'busy' });
    const { permits } = plan;
    const { fencingToken: token, slots } = lease;
    const fields = { id, name, permits, token, slots: slots.map(({ slot }) => slot), slotted: plan.slots };
    record('got', { ...fields, remainingMs: lease.remainingMs() }, t);
    return lease;
  } catch (error) {
    if (FINE[plan.how].includes(error?.name)) return record('none', { id, why: error.name });
    record('fault', { what: `${plan.how} of ${plan.permits} in ${name}: ${error?.stack}` });
  } finally {
    pending.delete(id);
  }
}

const acknowledged = new Map();
let operations = 0;

function show(round, id, name, lease, what) {
  const n = ++operations;
  const slots = lease.slots.map(({ slot, fencingToken }) => [slot, fencingToken]);
  process.send({ n, round, what, id, name, slots });
  return new Promise((resolve) => acknowledged.set(n, resolve));
}

let contenders = 0;

async function contend(round, name, plan) {
  const id = `${process.pid}:${++contenders}`;
  const lease = await ask(id, name, plan);
  if (lease === undefined) return;
  const key = keyOf({ name, fencingToken: lease.fencingToken });
  held.set(key, { id, lease });
  await show(round, id, name, lease, 'enter');
  await sleep(plan.holdMs);
  await show(round, id, name, lease, 'leave');
  record('release', { id });
  const outcome = await lease
    .release()
    .catch((error) => record('fault', { what: `release: ${error?.stack}` }));
  held.delete(key);
  record('released', { id, name, outcome });
}

async function run({ round, name, plans }) {
  await Promise.all(plans.map((plan) => contend(round, name, plan)));
  process.send({ done: round });
}

async function finish() {
  await holdfast.close();
  await end();
  process.disconnect();
}

process.on('message', (message) => {
  if (message === 'end') return void finish();
  if (message.round !== undefined) return void run(message);
  acknowledged.get(message.n)();
  acknowledged.delete(message.n);
});
process.send('ready');
