import { startWorker } from '../../../../testkit/src/index.ts';

/** A process of its own that waits for `name`, `count` times. */
export function crowd(port: number, name: string, { ttlMs = 30_000, count = 1 } = {}) {
  const args = [port, name, ttlMs, count].map(String);
  return startWorker(new URL('./waiting-crowd.mjs', import.meta.url), { args });
}
