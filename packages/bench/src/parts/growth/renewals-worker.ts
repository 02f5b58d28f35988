/** Holds many locks and does nothing else: what it sends are renewals. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { noteUnhandled } from '../../bounded.ts';
import { connect } from '../../clients.ts';
import { countSent } from '../../count-sent.ts';
import { contenderOf } from '../../rivals/index.ts';

export interface Assignment {
  readonly port: number;
  readonly contender: string;
  readonly leases: number;
  readonly ttlMs: number;
  readonly runMs: number;
}

export interface Renewed {
  readonly type: 'done';
  /** As the server counts them: each is one PEXPIRE, in whichever script, and one script may have many. */
  readonly renewals: number;
  readonly writes: number;
  readonly turns: number;
  readonly cpuUs: number;
  readonly stallMs: number;
}

const { port, contender, leases, ttlMs, runMs } = JSON.parse(process.env.ASSIGNMENT ?? '{}') as Assignment;
const BATCH = 500;

process.once('disconnect', () => process.exit());
noteUnhandled();
const sent = countSent();
const client = await connect('ioredis5', port);
const lock = await contenderOf(contender).lock?.(client, { ttlMs });
if (lock === undefined) throw new Error(`${contender} has no lock`);
for (let held = 0; held < leases; held += BATCH) {
  const names = Array.from(
    { length: Math.min(BATCH, leases - held) },
    (_, i) => `bench:renewed:${contender}:${leases}:${held + i}`,
  );
  await Promise.all(names.map((name) => lock.acquire(name)));
}

async function renewalsSoFar(): Promise<number> {
  const stats = await client.redis.info('commandstats');
  return Number(/cmdstat_pexpire:calls=(\d+)/.exec(stats)?.[1] ?? 0);
}

const renewedBefore = await renewalsSoFar();
const before = { ...sent, ...process.cpuUsage() };
const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();
await sleep(runMs);
const { user, system } = process.cpuUsage();
const { writes, turns } = sent;
const renewed: Renewed = {
  type: 'done',
  renewals: (await renewalsSoFar()) - renewedBefore,
  writes: writes - before.writes,
  turns: turns - before.turns,
  cpuUs: user + system - before.user - before.system,
  stallMs: delay.max / 1e6,
};
process.send?.(renewed);
