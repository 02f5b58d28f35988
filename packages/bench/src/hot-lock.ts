/** One hot lock: 4 processes with 5 workers each, every one holding it for 2 ms, again and again. */
import { startWorker } from '@holdfast/testkit';
import { jain, median, quantile } from './stats.ts';

const PROCESSES = 4;
const WORKERS = 5;

export interface HotLock {
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

export async function measureHotLock(port: number, holdMs: number, runMs: number): Promise<HotLock> {
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
