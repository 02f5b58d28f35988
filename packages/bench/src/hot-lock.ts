/** One hot lock: 4 processes with 5 workers each, every one holding it for 2 ms, again and again. */
import { startServer, startWorker } from '@holdfast/testkit';
import { type Part, row } from './part.ts';
import { jain, median, quantile } from './stats.ts';

const PROCESSES = 4;
const WORKERS = 5;

interface HotLock {
  readonly acquisitions: number;
  /** Time held / time run. */
  readonly use: number;
  readonly commandsPerAcquisition: number;
  readonly jain: number;
  readonly waitP50Ms: number;
  readonly waitP99Ms: number;
  readonly p99ToMedian: number;
}

interface Finished {
  readonly type: 'done';
  readonly grants: number[];
  readonly waits: number[];
  readonly heldMs: number;
  /** Commands that the process sent. */
  readonly commands: number;
}

async function measure(port: number, holdMs: number, runMs: number): Promise<HotLock> {
  const script = new URL('./hot-lock-worker.js', import.meta.url);
  const env = {
    PORT: String(port),
    HOLD_MS: String(holdMs),
    WORKERS: String(WORKERS),
    NAME: `bench:hot:${holdMs}`,
  };
  const workers = await Promise.all(Array.from({ length: PROCESSES }, () => startWorker(script, { env })));
  await Promise.all(workers.map((worker) => worker.waitFor((m) => typeOf(m) === 'ready', 10_000)));
  for (const worker of workers) worker.send({ type: 'go', runMs });
  const done = await Promise.all(
    workers.map((worker) => worker.waitFor((m) => typeOf(m) === 'done', runMs + 20_000)),
  );
  await Promise.all(workers.map((worker) => worker.exited));
  return summary(done as Finished[], runMs);
}

function summary(done: readonly Finished[], runMs: number): HotLock {
  const grants = done.flatMap((one) => one.grants);
  const waits = done.flatMap((one) => one.waits);
  const acquisitions = grants.reduce((a, b) => a + b, 0);
  return {
    acquisitions,
    use: done.reduce((sum, one) => sum + one.heldMs, 0) / runMs,
    commandsPerAcquisition: done.reduce((sum, one) => sum + one.commands, 0) / acquisitions,
    jain: jain(grants),
    waitP50Ms: median(waits),
    waitP99Ms: quantile(waits, 0.99),
    p99ToMedian: quantile(waits, 0.99) / median(waits),
  };
}

function typeOf(message: unknown): unknown {
  return typeof message === 'object' && message !== null && 'type' in message ? message.type : undefined;
}

export const hotLock: Part = {
  id: 'hot-lock',
  what: `one hot lock, ${PROCESSES} processes × ${WORKERS} workers, 2 ms`,
  async run({ quick }) {
    await using server = await startServer();
    const hot = await measure(server.port, 2, quick ? 1_000 : 8_000);
    return {
      figures: { hot },
      rows: [
        row('hot lock: commands per acquisition', hot.commandsPerAcquisition, 2, ''),
        row('hot lock: Jain fairness', hot.jain, 0.99, '', true),
        row('hot lock: p99 wait / median wait', hot.p99ToMedian, 1.6),
      ],
      notes: [
        `hot lock: in use ${(hot.use * 100).toFixed(1)} % of the time, ${hot.acquisitions} acquisitions, wait median ${hot.waitP50Ms.toFixed(1)} ms, p99 ${hot.waitP99Ms.toFixed(1)} ms`,
      ],
    };
  },
};
