/** One lister or buyer, in a process of its own. */
import { Redis } from 'ioredis';
import { buyer } from './buyer.ts';
import { lister } from './lister.ts';
import type { Assignment, FromWorker, Go, Journal } from './protocol.ts';
import { Tally } from './tally.ts';
import { makeWay } from './ways/index.ts';

const assignment = JSON.parse(process.env.ASSIGNMENT ?? '{}') as Assignment;
const redis = new Redis({ host: '127.0.0.1', port: assignment.port });
let commands = 0;

/** Counts where the client sends: the server's own count has the commands inside scripts too. */
const send = redis.sendCommand.bind(redis);
redis.sendCommand = (...args) => {
  commands++;
  return send(...args);
};

function tell(message: FromWorker): Promise<void> {
  return new Promise((resolve) => process.send?.(message, undefined, undefined, () => resolve()));
}

async function run({ warmUpMs, runMs }: Go): Promise<void> {
  const tally = new Tally(warmUpMs, runMs);
  const way = makeWay(assignment.way, { redis, retried: tally.retried });
  const startedAt = process.cpuUsage();
  commands = 0;
  const journal = await (assignment.role === 'lister' ? lister : buyer)(redis, way, tally, assignment);
  const { user, system } = process.cpuUsage(startedAt);
  await tell({ type: 'done', journal, measured: measured(tally, journal, (user + system) / 1_000) });
  await way.close();
  process.disconnect();
}

function measured({ done, waitsMs, retries, gone, late }: Tally, journal: Journal, cpuMs: number) {
  const operations = journal.listed.length + journal.bought.length;
  return { role: assignment.role, done, waitsMs, retries, gone, late, commands, operations, cpuMs };
}

// Whoever started it has gone, or it has ended its work itself.
process.once('disconnect', () => process.exit());
process.once('message', (go: Go) => void run(go));
await redis.ping();
await tell({ type: 'ready' });
