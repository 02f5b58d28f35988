/**
 * What a worker writes down: what it knows, when it knows it. Also what a program must never have, and the times in which it did not
 * run: it was stopped, its event loop was blocked, or the machine had no time for it. Nobody can be blamed for those.
 */
import { openHistory } from '@holdfast/testkit';

const TICK_MS = 10;
/** A timer that is later than that was kept from running. */
const LATE_MS = 15;

interface Fields {
  [field: string]: unknown;
}

export type Record = (type: string, fields?: Fields) => void;

interface Watcher {
  /** Told for how long the process has run since the last tick: a gap counts as one tick. */
  onTick(ranMs: number): void;
  /** Until then an error ends the process. */
  started(): boolean;
}

export function journal(file: string, { onTick, started }: Watcher): Record {
  const history = openHistory(file);
  const record: Record = (type, fields = {}) => history.record({ type, pid: process.pid, ...fields });
  const fault = (what: string) => (error: unknown) => {
    const text = `${what}: ${error instanceof Error ? error.stack : String(error)}`;
    record('fault', { what: text });
    if (started()) return;
    console.error(text);
    process.exit(1);
  };
  process.on('unhandledRejection', fault('unhandled rejection'));
  process.on('uncaughtException', fault('uncaught exception'));
  process.on('warning', fault('process warning'));
  watchTime(record, onTick);
  return record;
}

function watchTime(record: Record, onTick: (ranMs: number) => void): void {
  let last = process.hrtime.bigint();
  setInterval(() => {
    const now = process.hrtime.bigint();
    const gapMs = Number(now - last) / 1e6;
    if (gapMs > TICK_MS + LATE_MS) record('late', { from: last, ms: gapMs });
    onTick(Math.min(gapMs, TICK_MS));
    last = now;
  }, TICK_MS).unref();
}
