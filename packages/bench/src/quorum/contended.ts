/** Many waiters in several processes for one lock on all nodes. */
import { startWorker, type Worker } from '@holdfast/testkit';
import { type Contender, messageOf, type Result } from './contender.ts';
import { type Contended, summarize } from './summary.ts';
import { nowMs, type Turn } from './turn.ts';

/** Connections, scripts and the first queue come about outside the count. */
const WARM_UP_MS = 500;

export interface Crowd {
  readonly processes: number;
  /** In each process. */
  readonly workers: number;
  readonly holdMs: number;
  readonly runMs: number;
}

export interface Crowded extends Contended {
  /** Sent to all nodes together. */
  readonly commandsPerAcquisition: number;
  /** The last error of `acquire` or `release`. */
  readonly lastFailure?: string;
}

interface Finished {
  readonly turns: Turn[][];
  readonly commands: number;
  readonly lastFailure?: string;
}

export async function measureContended(
  { id, label }: Contender,
  ports: readonly number[],
  crowd: Crowd,
): Promise<Result<Crowded>> {
  const env = {
    PORTS: ports.join(','),
    CONTENDER: id,
    NAME: `bench:quorum:contended:${id}`,
    HOLD_MS: String(crowd.holdMs),
    WORKERS: String(crowd.workers),
  };
  const script = new URL('./contended-worker.js', import.meta.url);
  const processes = Array.from({ length: crowd.processes }, () => startWorker(script, { env }));
  try {
    return { id, label, ...(await run(processes, crowd.runMs)) };
  } catch (error) {
    return { id, label, failed: messageOf(error) };
  } finally {
    await Promise.all(processes.map((one) => one.kill9()));
  }
}

async function run(processes: readonly Worker[], runMs: number): Promise<Crowded> {
  await Promise.all(processes.map((one) => next(one, 'ready', 10_000)));
  const from = nowMs() + WARM_UP_MS;
  const window = { from, until: from + runMs };
  for (const one of processes) one.send(window);
  const done = await Promise.all(
    processes.map((one) => next(one, 'done', WARM_UP_MS + runMs + 20_000) as Promise<Finished>),
  );
  const seen = summarize(
    done.flatMap(({ turns }) => turns),
    window,
  );
  const commands = done.reduce((sum, one) => sum + one.commands, 0);
  const lastFailure = done.find((one) => one.lastFailure !== undefined)?.lastFailure;
  return {
    ...seen,
    commandsPerAcquisition: commands / seen.acquisitions,
    ...(lastFailure !== undefined && { lastFailure }),
  };
}

function next(worker: Worker, type: string, withinMs: number): Promise<unknown> {
  const isIt = (m: unknown) => typeof m === 'object' && m !== null && 'type' in m && m.type === type;
  return worker.waitFor(isIt, withinMs);
}
