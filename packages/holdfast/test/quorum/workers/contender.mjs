/**
 * A process of the storm over a quorum: takes its turns until it is told to end. It shows every lease to the resource at its
 * beginning and again right before its release, without looking whether it still holds, and writes down what it knows when it knows it.
 * A stamp that begins a hold is taken late, one that ends it early.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Holdfast } from 'holdfast';
import { Redis } from 'ioredis';
import { heldLeases, journal } from '../../behaviour/workers/journal.mjs';
import { majorityOfOne } from './majority-of-one.mjs';

const { ports, file, names, ttlMs, waitMs, control } = JSON.parse(process.argv[2]);
const record = journal(file);

const clients = ports.map((port) => {
  const client = new Redis({ host: '127.0.0.1', port, retryStrategy: () => 20 });
  client.on('error', () => {});
  return client;
});
const holdfast = new Holdfast(clients, { ttlMs, commandTimeoutMs: 1_000 });
const lockOf = (name) => (control ? majorityOfOne(clients, name, { ttlMs }) : holdfast.lock(name));

const { held, keyOf } = heldLeases(holdfast, record);

const below = (n) => Math.floor(Math.random() * n);
/** While a node or the way to it is gone an answer may be missing; nobody gets a lease by that. */
const FINE = ['AcquireTimeoutError', 'QuorumError', 'ConnectionError', 'TimeoutError'];
const ASK = [
  (lock) => lock.tryAcquire(),
  (lock) => lock.acquire({ waitMs: below(60) }),
  (lock) => lock.acquire({ waitMs, signal: AbortSignal.timeout(below(60)) }),
];

async function ask(id, name) {
  record('ask', { id, name });
  const lock = lockOf(name);
  try {
    const lease = await (ASK[below(10)] ?? (() => lock.acquire({ waitMs })))(lock);
    const t = process.hrtime.bigint();
    if (lease === undefined) return undefined;
    const fields = { id, name, permits: 1, token: lease.fencingToken, slots: [0], slotted: true };
    record('got', { ...fields, remainingMs: lease.remainingMs() }, t);
    return lease;
  } catch (error) {
    record(FINE.includes(error?.name) ? 'none' : 'fault', { id, what: `${error?.stack}` });
    return undefined;
  }
}

const acknowledged = new Map();
let operations = 0;
function show(id, name, { fencingToken }, what) {
  const n = ++operations;
  process.send({ n, what, id, name, slots: [[0, fencingToken]] });
  return new Promise((resolve) => acknowledged.set(n, resolve));
}

let turns = 0;
async function turn(name) {
  const id = `${process.pid}:${++turns}`;
  const lease = await ask(id, name);
  if (lease === undefined) return sleep(below(5));
  const key = keyOf({ name, fencingToken: lease.fencingToken });
  held.set(key, { id, lease });
  await show(id, name, lease, 'enter');
  // Some outlive their ttl, by renewal.
  await sleep(below(40) === 0 ? ttlMs * 1.2 : below(4));
  await show(id, name, lease, 'leave');
  record('release', { id });
  const outcome = await lease.release().catch((error) => {
    record(error?.name === 'QuorumError' ? 'unreleased' : 'fault', { id, what: `release: ${error?.stack}` });
  });
  held.delete(key);
  record('released', { id, name, outcome });
}

let ending = false;
const lanes = names.map(async (name) => {
  while (!ending) await turn(name);
});

process.on('message', async (message) => {
  if (message !== 'end') {
    acknowledged.get(message.n)?.();
    acknowledged.delete(message.n);
    return;
  }
  ending = true;
  await Promise.all(lanes);
  await holdfast.close();
  for (const client of clients) client.disconnect();
  process.disconnect();
});
