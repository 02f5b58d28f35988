/**
 * A process of a crowd: each of its members changes a number or looks at it, again and again, under the read-write lock. The number is kept by a
 * resource that refuses a change whose fencing token is less than one that it was shown. One that was lost, or moved while somebody
 * read, shows that two were in at once. Says what it has seen at the end; may be killed before.
 */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Holdfast } from 'holdfast';
import { Redis } from 'ioredis';
import { connectAs } from './storm-connect.mjs';

const { title, ports, place, name, number: key, ttlMs, members, rounds } = JSON.parse(process.argv[2]);
const { client, end } = await connectAs(title, ports);
const number = new Redis({ host: '127.0.0.1', port: place });
const holdfast = new Holdfast(client, { ttlMs, waitMs: 120_000 });
const lock = holdfast.readWrite(name);
const seen = { added: 0, read: 0, upgraded: 0, downgraded: 0, faults: [] };

const RESOURCE = `
  local token, shown = tonumber(ARGV[1]), tonumber(redis.call('hget', KEYS[1], 'shown') or 0)
  if ARGV[2] and token < shown then return 'refused' end
  redis.call('hset', KEYS[1], 'shown', string.format('%.0f', math.max(token, shown)))
  if ARGV[2] then redis.call('hset', KEYS[1], 'number', ARGV[2]) end
  return redis.call('hget', KEYS[1], 'number')`;
const resource = async ({ fencingToken }, ...change) =>
  await number.eval(RESOURCE, 1, key, fencingToken, ...change);
const moment = () => sleep(Math.random() * 6);

/** A process that did not run for longer than its lease lasts holds nothing, and knows it as soon as it looks. */
function fault(lease, text) {
  if (lease.lost === undefined) seen.faults.push(text);
}

/** What it sees stays so for as long as it holds. */
async function looks(lease, what, expected) {
  const first = expected ?? Number(await resource(lease));
  await moment();
  const last = Number(await resource(lease));
  if (last !== first) fault(lease, `${what}: ${first} became ${last}`);
  return last;
}

async function adds(lease, what, known) {
  const before = await looks(lease, what, known);
  if ((await resource(lease, before + 1)) === 'refused') {
    fault(lease, `${what}: ${before + 1} was refused`);
    return before;
  }
  seen.added++;
  process.send('added');
  return before + 1;
}

const DO = {
  read: () =>
    lock.read.use(async (lease) => {
      await looks(lease, 'read');
      seen.read++;
    }),
  write: () => lock.write.use((lease) => adds(lease, 'write')),
  downgrade: () =>
    lock.write.use(async (lease) => {
      const mine = await adds(lease, 'write before a downgrade');
      await lease.downgrade();
      await looks(lease, 'read after a downgrade', mine);
      seen.downgraded++;
    }),
  upgrade: () =>
    lock.upgradeable.use(async (lease) => {
      const before = await looks(lease, 'upgradeable');
      await lease.upgrade();
      await adds(lease, 'write after an upgrade', before);
      seen.upgraded++;
    }),
  'try to upgrade': () =>
    lock.upgradeable.use(async (lease) => {
      const before = await looks(lease, 'upgradeable');
      const upgraded = await lease.upgrade({ waitMs: Math.floor(Math.random() * 8) }).then(
        () => true,
        (error) => !['AcquireTimeoutError', 'ConnectionError'].includes(error.name) && Promise.reject(error),
      );
      if (upgraded) return adds(lease, 'write after a short upgrade', before);
      await looks(lease, 'upgradeable after it gave up', before);
    }),
};
const PLAN = ['read', 'write', 'read', 'upgrade', 'read', 'downgrade', 'read', 'try to upgrade', 'read'];

async function member(i) {
  for (let round = 0; round < rounds; round++) {
    await DO[PLAN[(i + round) % PLAN.length]]().catch((error) => {
      if (error.name !== 'LeaseLostError') seen.faults.push(error.stack);
    });
  }
}

process.send('ready');
await once(process, 'message');
await Promise.all(Array.from({ length: members }, (_, i) => member(i)));
process.send({ seen });
await holdfast.close();
await end();
number.disconnect();
process.disconnect();
