/** `npm run bench`: every figure is a ratio within this run. It prints what was reached beside what was aimed at, and never fails on a time. */
import { startServer } from '@holdfast/testkit';
import { Redis } from 'ioredis';
import { measureHandOff, measureQueueCost } from './hand-off.ts';
import { measureHotLock } from './hot-lock.ts';
import { measureSemaphore } from './semaphore.ts';
import { measureUncontended } from './uncontended.ts';

const HELP = `npm run bench [-- --quick] [-- --json]

Measures Holdfast against the bare commands on a server of its own, about 45 seconds.
  --quick   a smoke run of a few seconds; its figures are noise
  --json    the figures as one JSON document`;

if (process.argv.includes('--help')) {
  console.log(HELP);
  process.exit();
}

const quick = process.argv.includes('--quick');
const asJson = process.argv.includes('--json');
const rounds = quick ? 3 : 15;

interface Row {
  readonly what: string;
  readonly reached: string;
  readonly aim: string;
  readonly met: boolean;
}

function row(what: string, value: number, aim: number, unit = '×', atLeast = false): Row {
  const met = atLeast ? value >= aim : value <= aim;
  return {
    what,
    reached: `${value.toFixed(value < 10 ? 2 : 1)} ${unit}`,
    aim: `${atLeast ? '≥' : '≤'} ${aim} ${unit}`,
    met,
  };
}

await using server = await startServer();
const redis = new Redis({ port: server.port });
const waiting = new Redis({ port: server.port });
const progress = (text: string) => process.stderr.write(`${text} …\n`);

progress('one acquire + release after the other');
const alone = await measureUncontended(redis, rounds, quick ? 300 : 2_000);
progress('one hot lock, 4 processes × 5 workers, 2 ms');
const hot = await measureHotLock(server.port, 2, quick ? 1_000 : 8_000);
progress('a hand-off to another process');
const handOff = await measureHandOff(redis, server.port, quick ? 30 : 400, 5);
progress('a hand-off with 10 and with 5,000 waiters');
const few = await measureQueueCost(redis, waiting, 10, quick ? 20 : 200);
const many = await measureQueueCost(redis, waiting, quick ? 500 : 5_000, quick ? 20 : 200);
progress('a semaphore, alone and with many leases held');
const semaphore = await measureSemaphore(redis, rounds, quick ? 300 : 2_000, quick ? 5_000 : 100_000);
redis.disconnect();
waiting.disconnect();

const rows: Row[] = [
  row('acquire + release: latency / bare', alone.latencyRatio, 1.15),
  row('acquire + release: server time / bare', alone.serverRatio, 1.6),
  row('hot lock: commands per acquisition', hot.commandsPerAcquisition, 2, ''),
  row('hot lock: Jain fairness', hot.jain, 0.99, '', true),
  row('hot lock: p99 wait / median wait', hot.p99ToMedian, 1.6),
  row('hand-off / bare message', handOff.ratio, 1.6),
  row(`hand-off, ${quick ? 500 : '5,000'} waiters / 10 waiters: server time`, many / few, 1.5),
  row('semaphore, tryAcquire + release: latency / bare scripts', semaphore.alone.latencyRatio, 1.3),
  row(
    `… ${quick ? '5,000' : '100,000'} leases held / 10 leases held: latency`,
    semaphore.crowded.latencyRatio,
    2,
  ),
  row(
    `… ${quick ? '5,000' : '100,000'} leases held / 10 leases held: server time`,
    semaphore.crowded.serverRatio,
    2,
  ),
];

if (asJson) {
  console.log(
    JSON.stringify(
      {
        server: server.binary.label,
        node: process.version,
        quick,
        alone,
        hot,
        handOff,
        few,
        many,
        semaphore,
      },
      null,
      2,
    ),
  );
} else {
  console.log(
    `\n${server.binary.label}, Node ${process.version}${quick ? ', quick run: expect noise' : ''}\n`,
  );
  for (const { what, reached, aim, met } of rows) {
    console.log(
      `${what.padEnd(58)} ${reached.padStart(10)}   aim ${aim.padEnd(9)} ${met ? 'reached' : 'NOT REACHED'}`,
    );
  }
  const us = (value: number) => `${value.toFixed(1)} µs`;
  console.log(
    `\nbare pair ${us(alone.bareUs)} (server ${us(alone.bareServerUs)}), Holdfast ${us(alone.oursUs)} (server ${us(alone.oursServerUs)})`,
  );
  console.log(
    `hot lock: in use ${(hot.use * 100).toFixed(1)} % of the time, ${hot.acquisitions} acquisitions, wait median ${hot.waitP50Ms.toFixed(1)} ms, p99 ${hot.waitP99Ms.toFixed(1)} ms`,
  );
  console.log(
    `hand-off ${us(handOff.handOffUs)}, bare message ${us(handOff.messageUs)}; server time of one release ${us(few)} with 10 waiters, ${us(many)} with many`,
  );
  console.log(
    `semaphore: bare scripts ${us(semaphore.alone.bareUs)} (server ${us(semaphore.alone.bareServerUs)}), Holdfast ${us(semaphore.alone.oursUs)} (server ${us(semaphore.alone.oursServerUs)}); with many leases ${us(semaphore.crowded.oursUs)} (server ${us(semaphore.crowded.oursServerUs)})`,
  );
}
